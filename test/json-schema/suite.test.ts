import { readFileSync } from 'node:fs'
import type { Json, JsonObject } from 'mandate'
import { expect, test } from 'vitest'
import { jsonSchemaCheck } from '../../src/tool/json-schema/json-schema.ts'
import { announceSkip } from '../rotation.ts'
import { applicatorRows } from './applicators.ts'
import { formatRows } from './formats.ts'
import { referenceRows } from './references.ts'
import { type SuiteFile, clonedSuite, npmSuite } from './suites.ts'
import { valueRows } from './values.ts'

/** `right`; `wrong` for another answer than the standard's; `refused` when the schema is said to be unusable. */
type Answer = 'right' | 'wrong' | 'refused'

const listed = readFileSync(new URL('./unsupported.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))

async function answerOf(check: ReturnType<typeof jsonSchemaCheck>, value: Json, isValid: boolean): Promise<Answer> {
  try {
    const { valid } = check(value)
    return valid === isValid ? 'right' : 'wrong'
  } catch (error) {
    expect(error).toMatchObject({ code: 'SCHEMA_INVALID' })
    return 'refused'
  }
}

/** Lines for everything that is not answered as the standard says, e.g. `table format: iri | 2 wrong`. */
async function shortfall(name: string, groups: SuiteFile['groups']): Promise<{ lines: string[]; count: number }> {
  const counts = { right: 0, wrong: 0, refused: 0 }
  for (const { schema, tests } of groups) {
    const check = jsonSchemaCheck(schema as JsonObject, 'the test')
    for (const { data, valid } of tests) counts[await answerOf(check, data, valid)]++
  }
  const { wrong, refused } = counts
  const told = [wrong > 0 ? `${wrong} wrong` : '', refused > 0 ? `${refused} refused` : ''].filter(
    (text) => text !== '',
  )
  return { lines: told.length > 0 ? [`${name} | ${told.join(', ')}`] : [], count: counts.right + wrong + refused }
}

async function collect(source: string, files: readonly SuiteFile[]): Promise<string[]> {
  const found = await Promise.all(files.map(({ name, groups }) => shortfall(`${source} ${name}`, groups)))
  const lines = found.flatMap((one) => one.lines)
  const count = found.reduce((sum, one) => sum + one.count, 0)
  process.stdout.write(`${[`${source}: ${count} cases; not as the standard says:`, ...lines].join('\n  ')}\n`)
  return lines
}

function expectListed(source: string, lines: readonly string[]): void {
  const own = listed.filter((line) => line.startsWith(`${source} `))
  expect(lines.toSorted(), 'what is not supported, and test/json-schema/unsupported.txt').toEqual(own.toSorted())
}

test('every keyword of draft 2020-12 is answered as the standard says, except what is listed', async () => {
  const rows = [...valueRows, ...applicatorRows, ...referenceRows, ...formatRows]
  const files = rows.map(({ about, schema, valid, invalid }) => ({
    name: about,
    groups: [
      {
        schema,
        tests: [...valid.map((data) => ({ data, valid: true })), ...invalid.map((data) => ({ data, valid: false }))],
      },
    ],
  }))
  expect(files.flatMap(({ groups }) => groups[0]!.tests).length).toBeGreaterThan(400)
  expectListed('table', await collect('table', files))
})

test('the official suite, as far as npm carries it, passes except for what is listed', async () => {
  expectListed('npm', await collect('npm', npmSuite()))
})

test('the whole official suite passes except for what is listed', async () => {
  const files = clonedSuite()
  if (files === undefined) {
    const command =
      'git clone https://github.com/json-schema-org/JSON-Schema-Test-Suite && MANDATE_JSON_SCHEMA_SUITE=JSON-Schema-Test-Suite npm test'
    return announceSkip('the whole JSON Schema test suite (no npm package carries it)', command)
  }
  expectListed('suite', await collect('suite', files))
})

test('the list names only sources that exist', () => {
  expect(listed.filter((line) => !/^(?:table|npm|suite) \S.* \| \d+ (?:wrong|refused)/.test(line))).toEqual([])
})
