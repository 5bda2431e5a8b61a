-- Changes briefs, each thread one of its own, on condition that it is as this thread left it.
-- Arguments: a file with a path and an entity tag on each line, and one with the content as JSON.
-- Needs as many connections as threads.
dofile("files.lua")
dofile("report.lua")
dofile("threads.lua")

local path, etag

function init(arguments)
  local lines = read_file(arguments[1]):gmatch("(%S+) (%S+)\n")
  for _ = 1, number do
    path, etag = lines()
  end
  body = string.format('{"content":%s}', read_file(arguments[2]))
end

function request()
  wrk.headers["If-Match"] = etag
  return wrk.format("PATCH", path, nil, body)
end

function response(_, headers)
  etag = headers["etag"]
end
