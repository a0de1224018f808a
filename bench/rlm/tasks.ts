import type { Answers } from './tickets.ts'
import { CUSTOMER, TOPICS, isInjury, topicOf } from './tickets.ts'

/** A question about a corpus of tickets. */
export interface Task {
  readonly name: string
  readonly question: string
  isRight(answer: string, answers: Answers): boolean
  /** The cells that a competent model writes, one per turn. */
  readonly cells: readonly string[]
  /** The question that a cell delegates to child sessions, each over a part of the input, and the cells that a competent model writes there. */
  readonly part?: { readonly question: string; readonly cells: readonly string[] }
  /** Whether only cells are asked: the other sides answer the same question in another task. */
  readonly isCellsOnly?: true
  /** For the plain loop: the notes of a part of the corpus, and the answer from these notes. */
  note(ticket: string): string | undefined
  conclude(notes: readonly string[]): string
}

const TOPIC_PROMPT = `Write the topic of each ticket as a JSON list of texts, in order. Topics: ${TOPICS.join(', ')}.`
const INJURY_PROMPT = 'Was somebody hurt? Answer for each ticket with true or false, as a JSON list, in order.'

/** Collects all matches of a pattern, page by page. */
const ALL_MATCHES = `async function all(pattern) {
  const found = []
  for (let from = 0; ; from = found.at(-1).end) {
    const page = await context.search(pattern, { from, limit: 200, around: 0 })
    found.push(...page)
    if (page.length < 200) return found
  }
}`

/** Queries a model about tickets in batches, with concurrent calls. */
const ASK_ALL = `async function ask(task, tickets) {
  const batches = []
  for (let i = 0; i < tickets.length; i += 20) batches.push(tickets.slice(i, i + 20))
  const replies = await model_query_batched(batches.map((some) => ({ prompt: [task, ...some].join('\\n') })))
  return replies.flatMap((reply) => JSON.parse(reply.value))
}`

const OWN_TICKETS = `${ALL_MATCHES}\nconst tickets = (await all(/\\| customer ${CUSTOMER} \\|[^\\n]*/)).map(({ match }) => match)\nprint(tickets.length, tickets[0])`
const COUNT_BILLING = `${ASK_ALL}\nconst topics = await ask(${JSON.stringify(TOPIC_PROMPT)}, tickets)\nanswer(String(topics.filter((topic) => topic === 'billing').length))`
const PART_QUESTION = `Count the tickets of customer ${CUSTOMER} that are about billing.`
/** Divides the input among child sessions, and adds up their answers. */
const DIVIDE = `const parts = await context.chunks({ size: Math.ceil(context.length / 4) + 500, by: 'lines' })
const counts = await rlm_query_batched(parts.map((part) => ({ prompt: ${JSON.stringify(`${PART_QUESTION} Answer with the number alone.`)}, context: part })))
answer(String(counts.reduce((sum, one) => sum + Number(one.value), 0)))`

export const TASKS: readonly Task[] = [
  {
    name: 'needle',
    question:
      'One of the tickets tells the combination of the safe in the Heron office. Answer with the combination alone, as in 12-34-56-78.',
    isRight: (answer, { combination }) => answer.trim() === combination,
    cells: [
      'print(await context.head(300))\nprint(await context.search(/heron office/i))',
      'const [hit] = await context.search(/Heron office is ([\\d-]+)/)\nanswer(hit.groups[0])',
    ],
    note: (ticket) => /Heron office is ([\d-]+)/.exec(ticket)?.[1],
    conclude: (notes) => notes[0] ?? 'unknown',
  },
  {
    name: 'aggregation',
    question: `How many tickets of customer ${CUSTOMER} are about billing? Read what they say: tickets do not name their topic. Answer with the number alone.`,
    isRight: (answer, { billing }) => answer.trim() === String(billing),
    cells: [
      `print(await context.head(300))\nprint(await context.count('| customer ${CUSTOMER} |'))`,
      OWN_TICKETS,
      COUNT_BILLING,
    ],
    note: (ticket) => (ticket.includes(`| customer ${CUSTOMER} |`) ? topicOf(ticket) : undefined),
    conclude: (notes) => String(notes.filter((topic) => topic === 'billing').length),
  },
  {
    name: 'aggregation, divided',
    question: `How many tickets of customer ${CUSTOMER} are about billing? Divide the input among sessions of their own. Answer with the number alone.`,
    isRight: (answer, { billing }) => answer.trim() === String(billing),
    cells: [`print(await context.head(300))\nprint(await context.count('| customer ${CUSTOMER} |'))`, DIVIDE],
    part: { question: PART_QUESTION, cells: [OWN_TICKETS, COUNT_BILLING] },
    isCellsOnly: true,
    note: () => undefined,
    conclude: () => '',
  },
  {
    name: 'pairwise',
    question:
      'Some tickets name a recalled batch (QX- and a number). List all pairs of different customers who were both hurt by a product of the same batch, one pair per line as 111-222, the smaller number first.',
    isRight: (answer, { pairs }) => answer.trim().split(/\s+/).toSorted().join() === pairs.join(),
    cells: [
      'print(await context.head(300))\nprint(await context.tally(/batch (QX-\\d+)/))',
      `${ALL_MATCHES}\nconst named = await all(/customer (\\d+) \\|[^\\n]*batch (QX-\\d+)[^\\n]*/)\nprint(named.length, named[0])`,
      `${ASK_ALL}\nconst hurt = await ask(${JSON.stringify(INJURY_PROMPT)}, named.map(({ match }) => match))\nconst byBatch = {}\nnamed.forEach(({ groups: [customer, batch] }, i) => { if (hurt[i]) (byBatch[batch] ??= []).push(Number(customer)) })\nconst pairs = []\nfor (const people of Object.values(byBatch))\n  for (const a of people) for (const b of people) if (a < b) pairs.push(a + '-' + b)\nanswer(pairs.join('\\n'))`,
    ],
    note: (ticket) => {
      const [, customer, batch] = /customer (\d+) \|[^\n]*batch (QX-\d+)/.exec(ticket) ?? []
      return customer !== undefined && isInjury(ticket) ? `${batch} ${customer}` : undefined
    },
    conclude: (notes) => pairsOf(notes.map((note) => note.split(' ') as [string, string])).join('\n'),
  },
]

function pairsOf(hurt: readonly (readonly [batch: string, customer: string])[]): readonly string[] {
  return hurt.flatMap(([batch, one], index) =>
    hurt
      .slice(index + 1)
      .filter(([other]) => other === batch)
      .map(([, two]) => `${one}-${two}`),
  )
}

/** Whether cells ask a model to judge tickets. */
export function isJudged(prompt: string): boolean {
  return prompt.startsWith(TOPIC_PROMPT) || prompt.startsWith(INJURY_PROMPT)
}

/** Returns the correct replies to the queries of cells. */
export function judge(prompt: string): string {
  const [task = '', ...tickets] = prompt.split('\n')
  return JSON.stringify(task.startsWith('Was somebody') ? tickets.map(isInjury) : tickets.map(topicOf))
}
