// Works on a large file and prints what it found: `node test/repl/large-context.ts <file>`.
import { fileContext } from 'mandate/connect'
import { contextOf, queryContext } from 'mandate/repl'

const context = contextOf(fileContext(process.argv[2]!))
const query = async <T>(method: string, ...args: readonly unknown[]): Promise<T> =>
  (await queryContext(context, method, args)) as T

const collect = (globalThis as { gc?: () => void }).gc
const heap = (): number => {
  collect?.()
  return process.memoryUsage().heapUsed
}
const before = heap()
const { facts } = await context.open()
const errors = await query<number>('count', /,ERROR,/)
const plain = await query<number>('count', ',ERROR,')
const { values } = await query<{ values: { value: string; count: number }[] }>('tally', /,(INFO|ERROR),/)
const [last] = await query<{ match: string }[]>('search', /number \d+\n$/)
const parts = await query<unknown[]>('chunks', { size: 200_000, by: 'lines' })
const records = await query<number>('recordCount')
const [record] = await query<Record<string, string>[]>('records', 700_000, 700_001)
const [line] = await query<string[]>('lines', 1_300_000, 1_300_001)
console.log(
  JSON.stringify({
    bytes: facts.bytes,
    lineCount: facts.lineCount,
    errors,
    plain,
    tally: values.find(({ value }) => value === 'ERROR')?.count,
    last: last?.match.trim(),
    parts: parts.length,
    records,
    record: Object.values(record!)[0],
    line: line!.split(',')[0],
    grown: heap() - before,
  }),
)
