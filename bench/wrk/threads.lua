-- Tells each thread its number, from 1.
local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end
