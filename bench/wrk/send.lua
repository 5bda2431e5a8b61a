-- Sends one body again and again. Arguments: the file that has it.
dofile("files.lua")
dofile("report.lua")

function init(arguments)
  wrk.method = "POST"
  wrk.body = read_file(arguments[1])
end
