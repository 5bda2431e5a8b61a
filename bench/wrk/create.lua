-- Makes briefs. Arguments: how their names begin, and the file with their content as JSON.
dofile("files.lua")
dofile("report.lua")
dofile("threads.lua")

local made = 0

function init(arguments)
  prefix = arguments[1]
  content = read_file(arguments[2])
end

function request()
  made = made + 1
  return wrk.format("POST", nil, nil, string.format(
    '{"name":"%s-%d-%d","visibility":"private","content":%s}', prefix, number, made, content))
end
