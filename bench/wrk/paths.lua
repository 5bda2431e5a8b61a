-- Reads one address after the other, from any of them on. Arguments: the file with a path on each line.
dofile("files.lua")
dofile("report.lua")

local paths = {}
local at = 0

function init(arguments)
  for path in read_file(arguments[1]):gmatch("%S+") do
    paths[#paths + 1] = path
  end
  math.randomseed(os.time())
  at = math.random(#paths)
end

function request()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
