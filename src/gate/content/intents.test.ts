import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INTENT_INSTRUCTIONS, matchIntents, parseIntents } from './intents.ts'

const intent = (toolName: string, riskLevel = 'read'): string =>
  `<intent>${JSON.stringify({ toolName, purpose: 'p', expectedOutcome: 'o', riskLevel })}</intent>`

describe('reading intents', () => {
  it('reads every block of a reply, in order, and drops what it does not know', () => {
    const text = `First ${intent('a')} then\n<intent>\n {"toolName":"b","purpose":"p","expectedOutcome":"o","riskLevel":"exec","timestamp":"x"} \n</intent> done`
    expect(parseIntents(text)).toEqual({
      intents: [
        { toolName: 'a', purpose: 'p', expectedOutcome: 'o', riskLevel: 'read' },
        { toolName: 'b', purpose: 'p', expectedOutcome: 'o', riskLevel: 'exec' },
      ],
      problems: [],
    })
  })

  it.each([
    ['no JSON', '<intent>I will search</intent>', undefined, 'not valid JSON'],
    ['JSON that is cut', '<intent>{"toolName":"a"', undefined, 'not closed'],
    ['JSON that names its tool', '<intent>{"toolName": "a", oops}</intent>', 'a', 'not valid JSON'],
    ['a list', '<intent>[]</intent>', undefined, 'one JSON object'],
    ['no purpose', '<intent>{"toolName":"a","expectedOutcome":"o","riskLevel":"read"}</intent>', 'a', '`purpose`'],
    ['an empty purpose', intent('a').replace('"p"', '" "'), 'a', '`purpose`'],
    ['no tool', intent('a').replace('"a"', '1'), undefined, '`toolName`'],
    ['a risk that is none', intent('a', 'harmless'), 'a', 'Use one of: read, write, exec, destructive'],
    ['an inherited risk', intent('a', 'toString'), 'a', 'Use one of'],
    ['more than anyone reads', `<intent>${' '.repeat(9_000)}</intent>`, undefined, 'longer than'],
  ])('%s is a problem that is told, not an intent', (_, text, toolName, problem) => {
    const parsed = parseIntents(text)
    expect(parsed.intents).toEqual([])
    expect(parsed.problems).toEqual([{ toolName, problem: expect.stringContaining(problem) }])
  })

  it('stops at a number of blocks that no honest reply reaches', () => {
    const parsed = parseIntents(intent('a').repeat(100))
    expect(parsed.intents).toHaveLength(64)
    expect(parsed.problems).toHaveLength(1)
  })

  it('takes time linear in the length of any text', () => {
    const { problems } = parseIntents('<intent>'.repeat(200_000))
    expect(problems).toHaveLength(1)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<intent>', '</intent>', '{', '}', '"toolName":', '"a"', ',') }),
        (text) => {
          parseIntents(text)
        },
      ),
    )
  })

  it('what the prompt asks for is what is read', () => {
    const example = /<intent>.*<\/intent>/.exec(INTENT_INSTRUCTIONS)![0]
    expect(parseIntents(example)).toMatchObject({ intents: [{ riskLevel: 'read' }], problems: [] })
  })
})

describe('matching intents with calls', () => {
  const covered = (text: string, tools: string[]): (string | undefined)[] =>
    matchIntents(parseIntents(text), tools).map(({ intent: found, intentProblem }) => found?.toolName ?? intentProblem)

  it('each intent covers one call of its tool', () => {
    expect(covered(intent('a') + intent('b'), ['b', 'a', 'a'])).toEqual(['b', 'a', undefined])
  })

  it('two calls of one tool need two intents', () => {
    expect(covered(intent('a').repeat(2), ['a', 'a'])).toEqual(['a', 'a'])
    expect(covered(intent('a'), ['a', 'a'])).toEqual(['a', undefined])
  })

  it('surplus intents cover nothing else', () => {
    expect(covered(intent('a').repeat(3), ['b'])).toEqual([undefined])
  })

  it('an intent for reading mail does not cover sending it', () => {
    expect(covered(intent('mail.read'), ['mail.send'])).toEqual([undefined])
  })

  it('each call gets the risk that was declared for it, not that of the first', () => {
    const matched = matchIntents(parseIntents(intent('a', 'read') + intent('a', 'destructive')), ['a', 'a'])
    expect(matched.map(({ intent: found }) => found?.riskLevel)).toEqual(['read', 'destructive'])
  })

  it('a call whose intent could not be parsed gets the reason', () => {
    expect(covered('<intent>{"toolName":"a"}</intent>', ['a', 'b'])).toEqual(['`purpose` must be a text.', undefined])
    expect(covered('<intent>oops</intent>', ['a'])).toEqual(['It is not valid JSON.'])
  })

  it('names that objects inherit are names like others', () => {
    expect(covered(intent('constructor'), ['constructor', '__proto__'])).toEqual(['constructor', undefined])
  })
})
