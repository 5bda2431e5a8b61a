-- Reads with a token, public Markdown and creates, mixed. What is read follows Zipf's law: the second
-- address half as often as the first, the third a third as often.
-- Arguments: a file with the paths to read with a token, one with the Markdown paths, the percentages
-- of Markdown and of creates, how the names of new briefs begin, and the file with their content as JSON.
dofile("files.lua")
dofile("report.lua")
dofile("threads.lua")

local reads, markdown, upTo = {}, {}, {}
local made = 0

local function load_requests(file, into)
  for path in read_file(file):gmatch("%S+") do
    into[#into + 1] = wrk.format("GET", path)
  end
end

function init(arguments)
  load_requests(arguments[1], reads)
  load_requests(arguments[2], markdown)
  markdown_share = tonumber(arguments[3]) / 100
  create_share = tonumber(arguments[4]) / 100
  prefix = arguments[5]
  content = read_file(arguments[6])
  local sum = 0
  for rank = 1, #reads do
    sum = sum + 1 / rank
    upTo[rank] = sum
  end
  math.randomseed(os.time() + number)
end

local function zipf()
  local wanted = math.random() * upTo[#upTo]
  local low, high = 1, #upTo
  while low < high do
    local middle = math.floor((low + high) / 2)
    if upTo[middle] < wanted then low = middle + 1 else high = middle end
  end
  return low
end

function request()
  local kind = math.random()
  if kind < create_share then
    made = made + 1
    return wrk.format("POST", "/api/briefs", nil, string.format(
      '{"name":"%s-%d-%d","visibility":"private","content":%s}', prefix, number, made, content))
  end
  if kind < create_share + markdown_share then return markdown[zipf()] end
  return reads[zipf()]
end
