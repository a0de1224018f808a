import { isForbidden } from '../../../expr/index.ts'
import type { FieldBlueprint } from '../blueprint.ts'
import { END } from '../blueprint.ts'
import type { ErrorDiagnosticCode } from '../codes.ts'
import { NAME } from '../name.ts'
import type { GraphView } from './graph-view.ts'

interface Named {
  readonly name: string
}

/** Checks that names are valid and unique. */
export function checkNames(view: GraphView): void {
  const { blueprint } = view
  checkName(blueprint.name, '/name', view)
  checkAll(blueprint.nodes, '/nodes', 'node', view)
  checkAll(blueprint.channels, '/channels', 'channel', view)
  for (const list of ['state', 'input', 'output'] as const) {
    const fields: readonly FieldBlueprint[] = blueprint[list] ?? []
    checkAll(fields, `/${list}`, 'field', view)
    fields.forEach((field, index) => {
      if (field.items === undefined || field.type === 'list') return
      view.report.error('E-rag-invalid-value', `\`${field.name}\` has items and is not a list.`, {
        path: `/${list}/${index}/items`,
      })
    })
  }
  blueprint.nodes.forEach((node, index) => {
    if (node.writes !== undefined) checkName(node.writes, `/nodes/${index}/writes`, view)
    node.command?.update.forEach((update, at) =>
      checkName(update.channel, `/nodes/${index}/command/update/${at}/channel`, view),
    )
  })
}

function checkAll(items: readonly Named[], path: string, what: 'node' | 'channel' | 'field', view: GraphView): void {
  const first = new Map<string, number>()
  items.forEach(({ name }, index) => {
    const place = `${path}/${index}`
    checkName(name, `${place}/name`, view)
    const before = first.get(name)
    first.set(name, before ?? index)
    if (before === undefined) return
    const code: ErrorDiagnosticCode = `E-rag-duplicate-${what}`
    view.report.error(code, `There is a second ${what} \`${name}\`.`, {
      path: place,
      related: [{ path: `${path}/${before}`, label: 'first here' }],
      help: 'Rename one of them, and what leads to it.',
    })
  })
}

function checkName(name: string, path: string, { report }: GraphView): void {
  if (name === END || isForbidden(name))
    report.error('E-rag-reserved-name', `\`${name}\` is reserved and cannot be a name.`, {
      path,
      help: name === END ? '`END` is where branches end; choose another name.' : 'Choose another name.',
    })
  else if (!NAME.test(name))
    report.error('E-rag-invalid-name', `\`${name.slice(0, 60)}\` is not a name: names are letters, digits and \`_\`.`, {
      path,
    })
}
