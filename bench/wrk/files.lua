-- The whole of a file. It is closed: a loop of wrk takes no more than 10 and three for each connection.
function read_file(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end
