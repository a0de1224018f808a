import { didYouMean } from '../report.ts'
import type { GraphView } from './graph-view.ts'

/** Warns of channels that nothing declares, and of values that would overwrite each other. */
export function checkChannels(view: GraphView): void {
  checkDeclared(view)
  view.blueprint.nodes.forEach((node, index) => {
    const writers = new Map<string, string>()
    node.sends?.forEach((send, at) => {
      const channel = channelOf(send.to, view)
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
  const isDeclared = blueprint.channels.some(({ name }) => name === channel)
  report.warning('W-rag-fan-out-overwrite', `${what}, which keeps one value of a step.`, {
    path,
    help: `${isDeclared ? 'Change it to' : 'Declare'} \`channel ${channel} topic\`, which keeps all of them.`,
  })
}

/** The channel that a node writes its result to, where that keeps one value of a step. */
function channelOf(name: string, { nodes, blueprint }: GraphView): string | undefined {
  const node = nodes.get(name)
  if (node === undefined || node.kind === 'router' || node.kind === 'join') return undefined
  const channel = node.writes ?? node.name
  const declared = blueprint.channels.find((each) => each.name === channel)
  return declared === undefined || declared.reducer === 'last_value' ? channel : undefined
}

/** A graph that declares its channels or its state declares all of them, so that a slip is found. */
function checkDeclared({ blueprint, nodes, report }: GraphView): void {
  const { channels, state = [], input = [] } = blueprint
  if (channels.length === 0 && state.length === 0) return
  const known = new Set([...channels, ...state, ...input].map(({ name }) => name))
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
