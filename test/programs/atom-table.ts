import { batteryAtoms } from '../../src/vm/index.ts'
import { FLOW_OPS } from '../../src/vm/atoms/set/flow.ts'
import { coreAtoms } from '../../src/vm/atoms/registry.ts'
import type { AnyAtom } from '../../src/vm/atoms/atom.ts'

/** The tables of operations in docs/programs.md, made from the registry. */
export function atomTables(): string {
  const flow = FLOW_OPS.map(({ op, fields, cost, docs }) => [
    `\`${op}\``,
    fields
      .map((field) => (field === '|' ? 'or' : `\`${field}\``))
      .join(', ')
      .replaceAll(', or, ', ' or '),
    String(cost),
    docs,
  ])
  return [
    '### The language\n',
    table(['op', 'fields', 'cost', 'what it does'], flow),
    '\n### Core atoms\n',
    table(['op', 'input', 'cost', 'timeout', 'touches the world', 'what it does'], Object.values(coreAtoms).map(row)),
    '\n### Atoms on demand: `new AgentVM(batteryAtoms)`\n',
    table(
      ['op', 'input', 'cost', 'timeout', 'touches the world', 'what it does'],
      Object.values(batteryAtoms).map(row),
    ),
  ].join('\n')
}

function row(atom: AnyAtom): string[] {
  const { properties = {}, required = [] } = atom.inputSchema as { properties?: object; required?: readonly string[] }
  const fields = Object.keys(properties).map((name) => `\`${name}${required.includes(name) ? '' : '?'}\``)
  const time = atom.timeoutMs === 0 ? '–' : `${atom.timeoutMs / 1000} s`
  return [
    `\`${atom.op}\``,
    fields.join(', ') || '–',
    costOf(atom),
    'inline' in atom ? '–' : time,
    atom.effects === 'io' ? (atom.risk ?? 'exec') : 'no',
    atom.docs,
  ]
}

/** A cost that depends on the input is told for the least input, and for one more. */
function costOf({ cost, op }: AnyAtom): string {
  if (typeof cost === 'number') return String(cost)
  const of = cost as (input: object, ctx: object) => number
  if (op.endsWith('Search')) return '5 + `k`'
  return `${of({ code: '', value: '' }, { context: {} })} + 0.001 per character`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''].join('\n')
}
