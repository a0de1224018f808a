import { didYouMean } from '../report.ts'
import type { GraphView } from './graph-view.ts'

/** Warns of undeclared channels, and of values that would overwrite each other. */
export function checkChannels(view: GraphView): void {
  checkDeclared(view)
  checkArguments(view)
  const channelOf = channelsOf(view)
  view.blueprint.nodes.forEach((node, index) => {
    const writers = new Map<string, string>()
    node.sends?.forEach((send, at) => {
      const channel = channelOf(send.to)
      if (channel === undefined) return
      const path = `/nodes/${index}/sends/${at}`
      const other = writers.get(channel)
      writers.set(channel, other ?? send.to)
      if (send.each !== undefined) overwrite(`Every copy of \`${send.to}\` writes \`${channel}\``, channel, path, view)
      else if (other !== undefined)
        overwrite(
          other === send.to
            ? `Both copies of \`${send.to}\` write \`${channel}\``
            : `\`${other}\` and \`${send.to}\` both write \`${channel}\``,
          channel,
          path,
          view,
        )
    })
  })
}

function overwrite(what: string, channel: string, path: string, { report, blueprint }: GraphView): void {
  report.warning('W-rag-fan-out-overwrite', `${what}, which takes one value in a step.`, {
    path,
    help: () => {
      const isDeclared = blueprint.channels.some(({ name }) => name === channel)
      return `${isDeclared ? 'Change it to' : 'Add'} \`channel ${channel} topic\`, which keeps all of them.`
    },
  })
}

/** Channels that refuse a second value in one step. */
const SINGLE: ReadonlySet<string> = new Set(['last_value', 'ephemeral', 'untracked'])

/** The channel of a node's result, if it accepts one value per step. An undeclared channel of a node that is sent items is a list. */
function channelsOf({ nodes, blueprint }: GraphView): (node: string) => string | undefined {
  const fields = [...(blueprint.state ?? []), ...(blueprint.input ?? []), ...(blueprint.output ?? [])]
  const reducers = new Map(fields.map((field) => [field.name, 'last_value']))
  for (const { name, reducer } of blueprint.channels) reducers.set(name, reducer)
  return (name) => {
    const node = nodes.get(name)
    if (node === undefined || node.kind === 'router' || node.kind === 'join') return undefined
    const channel = node.writes ?? node.name
    return SINGLE.has(reducers.get(channel) ?? '') ? channel : undefined
  }
}

/** Checks that channels have the arguments they require. */
function checkArguments({ blueprint, report }: GraphView): void {
  blueprint.channels.forEach(({ reducer, args }, index) => {
    const [first] = args
    const path = `/channels/${index}/reducer`
    const refuse = (message: string, help: string): void => report.error('E-rag-invalid-value', message, { path, help })
    if (reducer === 'barrier' && !(Number.isSafeInteger(first) && (first as number) > 0))
      refuse('A `barrier` needs the number of values that it waits for.', 'Write `barrier 3`.')
    if (reducer === 'named_barrier' && (args.length === 0 || args.some((arg) => typeof arg !== 'string')))
      refuse('A `named_barrier` names what it waits for.', 'Write `named_barrier "a" "b"`.')
    if (reducer === 'aggregate' && typeof first !== 'string')
      refuse('An `aggregate` names its reducer.', 'Write `aggregate "sum"` with the name of a registered reducer.')
    if (reducer === 'delta' && first !== undefined && typeof first !== 'number')
      refuse('A `delta` begins with a number.', 'Write `delta 0`.')
  })
}

/** Once channels or the state are declared, all must be, so that typing mistakes are found. */
function checkDeclared({ blueprint, nodes, report }: GraphView): void {
  const { channels, state = [], input = [], output = [] } = blueprint
  if (channels.length === 0 && state.length === 0) return
  const known = new Set([...channels, ...state, ...input, ...output].map(({ name }) => name))
  const check = (channel: string, path: string): void => {
    if (known.has(channel) || nodes.has(channel)) return
    report.warning('W-rag-undeclared-channel', `The channel \`${channel}\` is not declared.`, {
      path,
      help: () => {
        const help = didYouMean(channel, known)()
        return help?.startsWith('Did') ? help : `Add \`channel ${channel} last_value\`.`
      },
    })
  }
  blueprint.nodes.forEach((node, index) => {
    if (node.writes !== undefined) check(node.writes, `/nodes/${index}/writes`)
    node.command?.update.forEach(({ channel }, at) => check(channel, `/nodes/${index}/command/update/${at}/channel`))
  })
}
