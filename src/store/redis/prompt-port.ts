import type { PromptPort, PromptRow } from '../../memory/index.ts'
import { placeOf } from '../encryption/index.ts'
import { ConnectionRef } from '../shared-connection.ts'
import type { DataLink } from './data-link.ts'
import type { DataPlace } from './record-rows.ts'
import { hashOf } from './link.ts'
import { cellOf, keptOf } from './record-rows.ts'

/** ARGV: prefix, place, version, text, id. Adds a version unless its number is taken; a retry with the same text succeeds. */
const ADD = `
local versions = ARGV[1] .. ':t:' .. ARGV[2]
if ARGV[#ARGV] == '1' and redis.call('HGET', versions, ARGV[3]) == ARGV[4] then return 1 end
if redis.call('HLEN', versions) ~= tonumber(ARGV[3]) - 1 then return 0 end
redis.call('HSET', versions, ARGV[3], ARGV[4])
if ARGV[3] == '1' then
  redis.call('HSET', ARGV[1] .. ':i', ARGV[2], ARGV[5])
  redis.call('ZADD', ARGV[1] .. ':s', redis.call('INCR', ARGV[1] .. ':x'), ARGV[2])
end
return 1`

/** ARGV: prefix, place, label, version. */
const LABEL = `
if redis.call('EXISTS', ARGV[1] .. ':t:' .. ARGV[2]) == 0 then return 0 end
redis.call('HSET', ARGV[1] .. ':b-' .. ARGV[2], ARGV[3], ARGV[4])
return 1`

/** Templates in Redis: for each a hash of versions and one of labels. */
export function promptPort(data: DataLink, isAlone: boolean): PromptPort {
  const line = new ConnectionRef(data, isAlone)
  return {
    add: (id, version, text) =>
      line.use(async ({ link, sealing }) => {
        const cell = cellOf(sealing.keep(placeOf('prompts', id, version), text))
        const args = [link.options.prefix, hashOf(id), String(version), cell, JSON.stringify(id)]
        return (await link.run(ADD, args)) === 1
      }),
    get: (id, version) =>
      line.use(async (place) => {
        const versions = place.link.key('t', hashOf(id))
        const number = version ?? Number(await place.link.ask('HLEN', versions))
        const cell = await place.link.ask('HGET', versions, String(number))
        return typeof cell === 'string' ? promptOf(place, id, number, cell) : undefined
      }),
    versions: (id) =>
      line.use(async (place) => {
        const found = (await place.link.ask('HGETALL', place.link.key('t', hashOf(id)))) as readonly string[]
        const rows = await Promise.all(
          found.flatMap((number, index) =>
            index % 2 === 0 ? [promptOf(place, id, Number(number), found[index + 1]!)] : [],
          ),
        )
        return rows.sort((a, b) => a.version - b.version)
      }),
    newest: () =>
      line.use(async (place) => {
        const { link } = place
        const places = (await link.ask('ZRANGE', link.key('s'), '0', '-1')) as readonly string[]
        const rows = await Promise.all(places.map((one) => newestOf(place, one)))
        return rows.filter((row) => row !== undefined)
      }),
    setLabel: (id, label, version) =>
      line.use(async ({ link }) => {
        await link.run(LABEL, [link.options.prefix, hashOf(id), JSON.stringify(label), String(version)])
      }),
    labels: (id) =>
      line.use(async ({ link }) => {
        const found = (await link.ask('HGETALL', link.key(`b-${hashOf(id)}`))) as readonly string[]
        const pairs = found.flatMap((label, index) =>
          index % 2 === 0 ? [[JSON.parse(label) as string, Number(found[index + 1])] as const] : [],
        )
        return new Map(pairs)
      }),
    close: () => line.close(),
  }
}

async function newestOf(place: DataPlace, at: string): Promise<PromptRow | undefined> {
  const { link } = place
  const [name, count] = await link.askAll([
    ['HGET', link.key('i'), at],
    ['HLEN', link.key('t', at)],
  ])
  const cell = await link.ask('HGET', link.key('t', at), String(count))
  if (typeof name !== 'string' || typeof cell !== 'string') return undefined
  return promptOf(place, JSON.parse(name) as string, Number(count), cell)
}

async function promptOf({ sealing }: DataPlace, id: string, version: number, cell: string): Promise<PromptRow> {
  return { id, version, text: (await sealing.reveal(placeOf('prompts', id, version), keptOf(cell))) ?? '' }
}
