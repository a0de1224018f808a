import { readFile } from 'node:fs/promises'
import { defineTool } from 'mandate'
import { z } from 'zod'

export const readTable = defineTool({
  name: 'read_table',
  description: 'The rows of a table, as objects. Numbers are numbers.',
  inputSchema: z.object({ table: z.enum(['sales']) }),
  risk: 'read',
  run: async ({ table }) => rowsOf(await readFile(new URL(`../data/${table}.csv`, import.meta.url), 'utf8')),
})

/** Rows of a simple CSV file: without quotes, the first line has the names. */
export function rowsOf(text: string): Record<string, string | number>[] {
  const [head = [], ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  return lines.map((line) => Object.fromEntries(head.map((name, index) => [name, valueOf(line[index] ?? '')])))
}

function valueOf(text: string): string | number {
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}
