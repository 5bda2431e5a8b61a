-- Reads one address after the other, from any of them on. Arguments: the file with a path on each line.
dofile("files.lua")
dofile("report.lua")

local requests = {}
local at = 0

-- All of them are made before the first is sent: making them takes as long as some servers answering.
function init(arguments)
  for path in read_file(arguments[1]):gmatch("%S+") do
    requests[#requests + 1] = wrk.format("GET", path)
  end
  math.randomseed(os.time())
  at = math.random(#requests)
end

function request()
  at = at % #requests + 1
  return requests[at]
end
