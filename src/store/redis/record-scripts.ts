/**
 * Scripts that the server executes atomically. They build the names of keys from the prefix (ARGV[1]) and the hash of the space (ARGV[2]):
 *
 * - `r:<id>` a record: collection, key, text, time of writing, expiry, place and order;
 * - `o:<space>` and `p:<place>` ids by the order of writing; `e:<space>` ids by their expiry; `m:<space>` what is needed to remove a record;
 * - `c:<space>` names of collections, `b:<space>` sizes of collections and of all;
 * - `w:<space>:<word>` ids by the number of occurrences of the word, `l:<space>` all words in alphabetical order, `d:<space>` the words of each id;
 * - `v:<space>:<dimensions>` vectors.
 *
 * Redis deletes an expired record a minute after its expiry; its index entries are removed by later writes.
 */
const START = `
local prefix, space = ARGV[1] .. ':', ARGV[2]
local function key(name, part) return prefix .. name .. ':' .. part end
local order, ends, meta = key('o', space), key('e', space), key('m', space)
local names, sizes, list, texts = key('c', space), key('b', space), key('l', space), key('d', space)

local function dropWords(id, words)
  for word in string.gmatch(words, '([^ ]+) %d+') do
    local place = key('w', space .. ':' .. word)
    redis.call('ZREM', place, id)
    if redis.call('EXISTS', place) == 0 then redis.call('ZREM', list, word) end
  end
end

local function remove(id)
  local known = redis.call('HGET', meta, id)
  if not known then return nil end
  local place, size, dims, length = string.match(known, '^(%S+) (%S+) (%S+) (%S+)')
  local words = redis.call('HGET', texts, id)
  if words then dropWords(id, words) end
  redis.call('HDEL', texts, id)
  redis.call('DEL', key('r', id))
  redis.call('ZREM', order, id)
  redis.call('ZREM', key('p', place), id)
  redis.call('ZREM', ends, id)
  redis.call('HDEL', meta, id)
  if dims ~= '0' then redis.call('HDEL', key('v', space .. ':' .. dims), id) end
  redis.call('HINCRBY', sizes, 'all', 0 - size)
  redis.call('HINCRBY', sizes, 'words', 0 - length)
  redis.call('HINCRBY', sizes, place, 0 - size)
  if redis.call('EXISTS', key('p', place)) == 0 then
    redis.call('HDEL', names, place)
    redis.call('HDEL', sizes, place)
  end
  return tonumber(size)
end
`

/** One row from ARGV, starting at `at`: id, place, collection, key, text, size, written, end, life, vector, dimensions, words, length. */
const ROW_ARGS = 13

const PUT = `
local function put(at)
  local id, place, size, life = ARGV[at], ARGV[at + 1], ARGV[at + 5], ARGV[at + 8]
  local dims, words, length = ARGV[at + 10], ARGV[at + 11], ARGV[at + 12]
  remove(id)
  local number = redis.call('INCR', key('n', space))
  local record = key('r', id)
  redis.call('HSET', record, 'collection', ARGV[at + 2], 'key', ARGV[at + 3], 'text', ARGV[at + 4], 'at', ARGV[at + 6],
    'end', ARGV[at + 7], 'place', place, 'order', number)
  if words ~= '' then redis.call('HSET', texts, id, words) end
  if life ~= '' then
    redis.call('PEXPIRE', record, life)
    redis.call('ZADD', ends, ARGV[at + 7], id)
  end
  redis.call('ZADD', order, number, id)
  redis.call('ZADD', key('p', place), number, id)
  redis.call('HSET', meta, id, place .. ' ' .. size .. ' ' .. dims .. ' ' .. length .. ' ' .. ARGV[at + 6])
  redis.call('HSET', names, place, ARGV[at + 2])
  redis.call('HINCRBY', sizes, 'all', size)
  redis.call('HINCRBY', sizes, 'words', length)
  redis.call('HINCRBY', sizes, place, size)
  if dims ~= '0' then
    redis.call('HSET', key('v', space .. ':' .. dims), id, place .. ' ' .. (ARGV[at + 7] == '' and '-' or ARGV[at + 7]) .. ' ' .. ARGV[at + 9])
  end
  for word, count in string.gmatch(words, '([^ ]+) (%d+)') do
    redis.call('ZADD', key('w', space .. ':' .. word), count, id)
    redis.call('ZADD', list, 0, word)
  end
end

local function tidy(now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now - 60000, 'LIMIT', 0, 20)) do remove(id) end
end
`

/** ARGV: prefix, space, then rows; the last argument is set for a retry. */
export const PUT_ROWS: string = `${START}${PUT}
for at = 3, #ARGV - 1, ${ROW_ARGS} do put(at) end
tidy(tonumber(ARGV[9]))
return 1`

/**
 * ARGV: prefix, space, one row, whether it must exist, the expected text. Two encryptions of one text differ, so encrypted texts are compared by the client,
 * which has the key.
 */
export const PUT_IF: string = `${START}${PUT}
local found = redis.call('HMGET', key('r', ARGV[3]), 'text', 'end', 'at')
local text = found[1]
if text and found[2] ~= '' and tonumber(found[2]) <= tonumber(ARGV[9]) then text = false end
if ARGV[#ARGV] == '1' and text == ARGV[7] and found[3] == ARGV[9] then return 1 end
if (ARGV[16] == '1') ~= (text and true or false) then return 0 end
if text and text ~= ARGV[17] then return 0 end
put(3)
return 1`

/** ARGV: prefix, space, id, now. */
export const DELETE_ROW: string = `${START}
local ending = redis.call('HGET', key('r', ARGV[3]), 'end')
remove(ARGV[3])
if not ending then return 0 end
return (ending == '' or tonumber(ending) > tonumber(ARGV[4])) and 1 or 0`

/** ARGV: prefix, space, place. */
export const CLEAR_PLACE: string = `${START}
local ids = redis.call('ZRANGE', key('p', ARGV[3]), 0, -1)
for _, id in ipairs(ids) do remove(id) end
return #ids`

/** ARGV: prefix, space, place or nothing, now, before or nothing, maximum records or nothing, maximum characters or nothing. */
export const TRIM: string = `${START}
local place, now, before = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local most, largest = tonumber(ARGV[6]), tonumber(ARGV[7])
local scope = place == '' and order or key('p', place)
local field = place == '' and 'all' or place
local count, bytes = 0, 0
local function drop(id)
  local size = remove(id)
  if size then count = count + 1; bytes = bytes + size end
end
local function belongs(id)
  return place == '' or redis.call('ZSCORE', scope, id)
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now)) do if belongs(id) then drop(id) end end
if before then
  for _, id in ipairs(redis.call('ZRANGE', scope, 0, -1)) do
    local known = redis.call('HGET', meta, id)
    if known and tonumber(string.match(known, '(%S+)$')) < before then drop(id) end
  end
end
while (most and redis.call('ZCARD', scope) > most) or (largest and tonumber(redis.call('HGET', sizes, field) or '0') > largest) do
  local oldest = redis.call('ZRANGE', scope, 0, 0)[1]
  if not oldest then break end
  drop(oldest)
end
return { count, bytes }`

/** ARGV: prefix, space. Names, counts and sizes of collections. */
export const COLLECTIONS: string = `${START}
local all = {}
local found = redis.call('HGETALL', names)
for at = 1, #found, 2 do
  local place = found[at]
  all[#all + 1] = { found[at + 1], redis.call('ZCARD', key('p', place)), redis.call('HGET', sizes, place) }
end
return all`

/** ARGV: prefix, space, place or nothing, now, limit, then words, each with whether it also matches longer words. Ranked by BM25. */
export const MATCH_WORDS: string = `${START}
local place, now, limit = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local total = redis.call('ZCARD', order)
if total == 0 then return {} end
local average = math.max(1, tonumber(redis.call('HGET', sizes, 'words') or '0') / total)
local scores, lengths, orders = {}, {}, {}
local function known(id)
  if lengths[id] ~= nil then return lengths[id] end
  local entry = redis.call('HGET', meta, id)
  local ending = redis.call('ZSCORE', ends, id)
  local isThere = entry and not (ending and tonumber(ending) <= now)
  local at, _, _, length = string.match(entry or '', '^(%S+) (%S+) (%S+) (%S+)')
  if isThere and (place == '' or at == place) then lengths[id] = tonumber(length) else lengths[id] = false end
  return lengths[id]
end
for at = 6, #ARGV - 1, 2 do
  local asked, counts, found = ARGV[at], {}, 0
  local terms = { asked }
  if ARGV[at + 1] == '1' then terms = redis.call('ZRANGEBYLEX', list, '[' .. asked, '[' .. asked .. '\\255', 'LIMIT', 0, 1000) end
  for _, term in ipairs(terms) do
    local source = key('w', space .. ':' .. term)
    local held = redis.call('ZRANGE', source, 0, -1, 'WITHSCORES')
    for index = 1, #held, 2 do
      local id = held[index]
      if known(id) then
        if not counts[id] then found = found + 1 end
        counts[id] = (counts[id] or 0) + tonumber(held[index + 1])
      end
    end
  end
  local rarity = math.log(1 + (math.max(total, found) - found + 0.5) / (found + 0.5))
  for id, count in pairs(counts) do
    scores[id] = (scores[id] or 0) + rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[id] / average))
  end
end
local ids = {}
for id in pairs(scores) do
  ids[#ids + 1] = id
  orders[id] = tonumber(redis.call('ZSCORE', order, id) or '0')
end
table.sort(ids, function(a, b)
  if scores[a] ~= scores[b] then return scores[a] > scores[b] end
  return orders[a] > orders[b]
end)
local best = {}
for index = 1, math.min(limit, #ids) do
  best[#best + 1] = ids[index]
  best[#best + 1] = string.format('%.17g', scores[ids[index]])
end
return best`
