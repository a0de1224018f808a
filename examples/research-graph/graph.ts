import { channel, command, defineGraph, nodes, send } from 'mandate/graph'
import type { Graph } from 'mandate/graph'

/** The graph of `research.rag` in TypeScript: the types of the state reach its nodes and routes. */
export const research: Graph = defineGraph({
  name: 'research_in_code',
  state: {
    question: channel.last<string>(),
    angles: channel.last<readonly string[]>({ initial: [] }),
    findings: channel.topic<string>(),
    figures: channel.last<unknown>(),
    report: channel.last<string>(),
    decide: channel.last<string>(),
    published: channel.last<string>(),
  },
  input: ['question'],
  output: ['report', 'published'],
  timeoutMs: 60_000,
  retry: { attempts: 2, delayMs: 1_000 },
})
  .node('plan', async (state, context) => {
    const angles = (await context.tool('find_angles', { question: state.question })) as readonly string[]
    return command({ update: { angles }, goto: [...angles.map((angle) => send('dig', angle)), 'figures'] })
  })
  .node(
    'dig',
    nodes.model({
      model: 'writer',
      prompt: 'What is known about {{ item }}, as far as it concerns: {{ state.question }}',
      writes: 'findings',
    }),
  )
  .node('figures', nodes.tool('find_figures', { input: 'state' }))
  .node(
    'write',
    nodes.model({
      model: 'writer',
      system: 'Write for readers in a hurry.',
      prompt: (state: { question: string; findings: readonly string[]; figures: unknown }) =>
        `Answer the question: ${state.question}\nFindings: ${state.findings.join('; ')}\nFigures: ${JSON.stringify(state.figures)}`,
      writes: 'report',
    }),
  )
  .node(
    'decide',
    nodes.human({ prompt: 'Publish this report? {{ state.report }}', options: ['publish', 'again', 'drop'] }),
  )
  .node('publish', nodes.tool('publish_report', { input: 'state', writes: 'published' }))
  .join(['dig', 'figures'], 'write')
  .edge('write', 'decide')
  .route('decide', [
    { label: 'publish', to: 'publish' },
    { label: 'again', to: 'write' },
    { label: 'drop', to: 'END' },
  ])
  .start('plan')
