import { expect, test } from 'vitest'
import type { AgentConfig } from '../../agent/index.ts'
import { scripted } from '../../model/index.ts'
import { defineTool } from '../../tool/index.ts'
import { bench } from '../http/server.fixture.ts'
import { CounterFamily } from './metric-family.ts'

interface Family {
  readonly type: string
  readonly samples: Map<string, number>
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`
const SAMPLE = new RegExp(`^(${NAME})(\\{${LABEL}(?:,${LABEL})*\\})? (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|NaN|[+-]Inf)$`)

/** Reads the text format of Prometheus strictly: every family once, with its help and type before its samples, no sample twice. */
function read(text: string): Map<string, Family> {
  expect(text.endsWith('\n')).toBe(true)
  const families = new Map<string, Family>()
  let current = ''
  const lines = text.slice(0, -1).split('\n')
  for (const [at, line] of lines.entries()) {
    const help = new RegExp(`^# HELP (${NAME}) \\S.*$`).exec(line)
    if (help !== null) {
      current = help[1]!
      const type = new RegExp(`^# TYPE ${current} (counter|gauge|histogram)$`).exec(lines[at + 1] ?? '')
      expect(type, lines[at + 1]).not.toBeNull()
      expect(families.has(current), current).toBe(false)
      families.set(current, { type: type![1]!, samples: new Map() })
      continue
    }
    if (line.startsWith(`# TYPE ${current} `)) continue
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
    expect(name, line).toBeDefined()
    const { type, samples } = families.get(current)!
    expect(type === 'histogram' ? name!.replace(/_(?:bucket|sum|count)$/, '') : name).toBe(current)
    if (type === 'counter') expect(current).toMatch(/_total$/)
    expect(samples.has(name! + labels), line).toBe(false)
    samples.set(name! + labels, Number(value!.replace('Inf', 'Infinity')))
  }
  return families
}

function valueOf(families: Map<string, Family>, name: string, labels = ''): number | undefined {
  return families.get(name)?.samples.get(name + labels)
}

const tool = defineTool({ name: 'look', risk: 'read', run: () => 'seen' })
const agents: readonly AgentConfig[] = [
  {
    id: 'guide',
    model: scripted((_request, { position }) =>
      position === 0
        ? {
            toolCalls: [
              { name: 'look', input: {} },
              { name: 'missing', input: {} },
            ],
          }
        : 'There.',
    ),
    tools: [tool],
  },
]

test('the figures of runs and effects are there, in the format that Prometheus reads', async () => {
  const { service, call } = bench({}, { agents })
  expect(valueOf(read(await (await call('/metrics')).text()), 'mandate_runs_active')).toBe(0)
  await service.run('guide', 'Look.')
  await service.run('guide', 'Look.')
  const answer = await call('/metrics')
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = read(await answer.text())
  expect(valueOf(families, 'mandate_runs_started_total', '{agent="guide"}')).toBe(2)
  expect(valueOf(families, 'mandate_runs_ended_total', '{agent="guide",state="completed"}')).toBe(2)
  expect(valueOf(families, 'mandate_runs_active')).toBe(0)
  expect(valueOf(families, 'mandate_effects_total', '{kind="tool",name="look",outcome="ok"}')).toBe(2)
  expect(valueOf(families, 'mandate_effects_total', '{kind="refused",name="",outcome="denied"}')).toBe(2)
  expect(valueOf(families, 'mandate_tokens_total', '{model="scripted/model",type="input"}')).toBeGreaterThan(0)
  const { samples } = families.get('mandate_effect_duration_seconds')!
  const buckets = [...samples].filter(([name]) => name.includes('_bucket{kind="model"')).map(([, value]) => value)
  expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
  expect(buckets.at(-1)).toBe(samples.get('mandate_effect_duration_seconds_count{kind="model"}'))
  expect(JSON.stringify([...families])).not.toContain('There.')
})

test('it is for callers that may read journals', async () => {
  const { call } = bench({}, { agents })
  expect((await call('/metrics', { as: null })).status).toBe(401)
  expect((await call('/metrics', { as: 'operator' })).status).toBe(403)
  expect((await call('/metrics', { as: 'viewer' })).status).toBe(200)
})

test('names are escaped, and too many of them are counted together', () => {
  const family = new CounterFamily('odd_total', 'Odd\nnames.')
  family.add({ name: 'a"b\\c\nd' })
  for (let at = 0; at < 5_000; at++) family.add({ name: `n${at}` })
  const [, { samples }] = [...read(family.text())][0]!
  expect(samples.get('odd_total{name="a\\"b\\\\c\\nd"}')).toBe(1)
  expect(samples.size).toBe(1_001)
  expect(samples.get('odd_total{name="other"}')).toBe(5_001 - 1_000)
})
