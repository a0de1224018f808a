import { expect, test } from 'vitest'
import { NEEDED as REST } from './option-bases.ts'
import { CALLS } from './option-calls.ts'
import { numbersOf } from './option-interfaces.ts'

/** Numbers for which infinity has a meaning: there is no limit. */
const ENDLESS =
  /^(?:Budget|DataClients|openStore|databaseOver|inMemory\w*|memoryOver|memoryStore|postgres\w+|redis\w+|sqlite\w+)\b/

/** Numbers that are measured, not counted: times, money, fuel, scores and probabilities. */
const MEASURED =
  /Ms$|^(?:money|fuel|temperature|costCeiling|minSimilarity|maxSeconds|updatedBefore|wakeBefore|now|at|since|atLeast)$/
const PROBABLE = 'FaultPlan'

/** Tools of other frameworks leave a fact out by `null`. */
const NULLABLE = /DefineOptions|ToolDefinition/

/** Numbers that may be below zero. */
const SIGNED = new Set(['minSimilarity', 'turns'])

/** Takers whose options have no interface that can be read here, each with its reason. */
const UNREAD: Readonly<Record<string, string>> = {
  'LoopAgent.constructor: CompatAgentConfig': 'a composed type: Agent.constructor checks the same fields',
  'connectMcp: McpServer': 'one of two shapes, which have no numbers',
}

const rows = Object.keys(CALLS)
  .filter((taker) => UNREAD[taker] === undefined)
  .flatMap((taker) => numbersOf(taker.split(/: (.*)/)[1]!).map((field) => [taker, field] as const))

test.each(rows)('%s: `%s` refuses what is no such number, and names itself', async (taker, field) => {
  const [name, type] = taker.split(/: (.*)/) as [string, string]
  const rest = REST[type] ?? {}
  const values: Readonly<Record<string, unknown>> = {
    NaN: Number.NaN,
    'minus infinity': Number.NEGATIVE_INFINITY,
    'a text': '5',
    ...(NULLABLE.test(type) ? {} : { null: null }),
    ...(SIGNED.has(field) ? {} : { 'a negative number': -1 }),
    ...(ENDLESS.test(name) ? {} : { infinity: Number.POSITIVE_INFINITY }),
    ...(MEASURED.test(field) || type === PROBABLE ? {} : { 'a fraction': 1.5 }),
  }
  for (const [what, value] of Object.entries(values)) {
    const call = async (): Promise<unknown> => CALLS[taker]!({ ...rest, [field]: value } as never)
    const error: unknown = await call().then(
      () => new Error(`${what} was taken`),
      (thrown: unknown) => thrown,
    )
    expect(error, what).toMatchObject({
      code: expect.stringMatching(/^(?:CONFIG|INPUT)_INVALID$/) as string,
      message: expect.stringContaining(field) as string,
    })
  }
})
