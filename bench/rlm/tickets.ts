import { closeSync, openSync, writeSync } from 'node:fs'
import { seededRandom } from 'mandate/testing'

/** Topics of tickets with their sentences. The text of a ticket does not contain its topic. */
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  delivery: [
    'The parcel arrived two weeks late and the box was open.',
    'The courier left everything with a neighbour I do not know.',
    'Tracking has shown the same depot since Monday.',
  ],
  billing: [
    'I was charged twice for the same month.',
    'The invoice shows a discount that was never subtracted.',
    'Please refund the amount you took from my card in error.',
  ],
  quality: [
    'The handle broke off on the second day.',
    'One of the seams is coming apart already.',
    'The surface scratches when you only look at it.',
  ],
  account: [
    'I cannot sign in since I changed my password.',
    'Please change the e-mail address of my profile.',
    'The confirmation code never reaches my phone.',
  ],
  praise: [
    'Thank you, the replacement was here within a day.',
    'Your colleague on the phone was patient and kind.',
    'Best purchase of this year, I told all my friends.',
  ],
}

export const TOPICS: readonly string[] = Object.keys(SENTENCES)

const INJURIES = [
  'My son cut his hand on it and needed stitches.',
  'It gave me an electric shock when I plugged it in.',
  'The lid burst and burned my arm.',
]

const UNHARMED = [
  'It rattles a little, but nothing happened to anybody.',
  'Is this one part of the recall? Ours works well.',
  'We stopped using it as you asked, all are fine.',
]

/** Returns the topic of a ticket: the rule that replaces a model's judgement in measurements without one. */
export function topicOf(ticket: string): string {
  return TOPICS.find((topic) => SENTENCES[topic]!.some((sentence) => ticket.includes(sentence))) ?? 'other'
}

/** Whether a ticket reports an injury. */
export function isInjury(ticket: string): boolean {
  return INJURIES.some((sentence) => ticket.includes(sentence))
}

/** The answers to the questions about a corpus. */
export interface Answers {
  readonly combination: string
  readonly billing: number
  readonly pairs: readonly string[]
}

/** The customer whose tickets are counted. All others have a higher number. */
export const CUSTOMER = 4_711
/** The number of tickets of this customer, independent of the size of the corpus. */
const OWN_TICKETS = 60
/** Recalled batches, and the number of tickets that name each of them. */
const BATCHES = ['QX-1042', 'QX-2217', 'QX-3390', 'QX-4075']
const TICKETS_PER_BATCH = 9

interface Planted {
  readonly customer?: number
  readonly text: string
}

/** Writes a corpus of tickets to a file, one per line, and returns the answers. Deterministic for a given size. */
export function writeTickets(path: string, chars: number): Answers {
  const random = seededRandom(`tickets ${chars}`)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random.next() * items.length)]!
  const combination = Array.from({ length: 4 }, () => String(10 + Math.floor(random.next() * 90))).join('-')
  const planted: Planted[] = [
    { text: `For the archive: the combination of the safe in the Heron office is ${combination}.` },
  ]
  let billing = 0
  for (let ticket = 0; ticket < OWN_TICKETS; ticket += 1) {
    const topic = pick(TOPICS)
    if (topic === 'billing') billing += 1
    planted.push({ customer: CUSTOMER, text: pick(SENTENCES[topic]!) })
  }
  const pairs: string[] = []
  for (const batch of BATCHES) {
    const hurt: number[] = []
    for (let ticket = 0; ticket < TICKETS_PER_BATCH; ticket += 1) {
      const customer = 100_000 + planted.length * 37
      const isHurt = random.next() < 0.5
      if (isHurt) hurt.push(customer)
      planted.push({ customer, text: `It is from batch ${batch}. ${pick(isHurt ? INJURIES : UNHARMED)}` })
    }
    for (const [index, one] of hurt.entries()) for (const other of hurt.slice(index + 1)) pairs.push(`${one}-${other}`)
  }
  writeLines(path, chars, { planted, random, pick })
  return { combination, billing, pairs: pairs.toSorted() }
}

type Pick = <T>(items: readonly T[]) => T

function writeLines(
  path: string,
  chars: number,
  { planted, random, pick }: { planted: readonly Planted[]; random: { next(): number }; pick: Pick },
): void {
  // Each planted ticket is at a random position in its own section of the corpus.
  const places = planted.map((_, index) => ((index + random.next()) / planted.length) * (chars - 50_000))
  const order = planted.map((ticket, index) => ({ ticket, place: places[index]! }))
  const all = Object.values(SENTENCES).flat()
  const file = openSync(path, 'w')
  let written = 0
  let next = 0
  let number = 0
  try {
    for (let text = ''; written < chars; text = '') {
      while (text.length < 1_000_000 && written + text.length < chars) {
        const due = order[next]
        const isDue = due !== undefined && written + text.length >= due.place
        if (isDue) next += 1
        const customer = (isDue ? due.ticket.customer : undefined) ?? 5_000 + Math.floor(random.next() * 90_000)
        const said = isDue ? due.ticket.text : `${pick(all)} ${pick(all)}`
        const day = `2024-${two(1 + Math.floor(random.next() * 12))}-${two(1 + Math.floor(random.next() * 28))}`
        text += `${day} | ticket ${String(number).padStart(8, '0')} | customer ${customer} | ${said}\n`
        number += 1
      }
      writeSync(file, text)
      written += text.length
    }
  } finally {
    closeSync(file)
  }
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
