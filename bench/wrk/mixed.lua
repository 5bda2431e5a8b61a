-- Nine reads of the address, then one brief made.
-- Arguments: the path to make briefs at, how their names begin, and the file with their content as JSON.
dofile("files.lua")
dofile("report.lua")
dofile("threads.lua")

local sent = 0

function init(arguments)
  path = arguments[1]
  prefix = arguments[2]
  content = read_file(arguments[3])
end

function request()
  sent = sent + 1
  if sent % 10 ~= 0 then
    return wrk.format("GET")
  end
  return wrk.format("POST", path, nil, string.format(
    '{"name":"%s-%d-%d","visibility":"private","content":%s}', prefix, number, sent, content))
end
