import { readCorpus, readOwn } from '../corpora/read-corpus.ts'

/** One line of the corpus of secrets. */
export interface SecretCase {
  readonly id: string
  readonly category: string
  readonly kind: string
  readonly expect: 'redact' | 'keep' | 'redact-known' | 'partial' | 'miss-ok'
  readonly sample: string
  /** The sample where it would stand. */
  readonly text: string
  readonly place: string | undefined
  readonly chunks: readonly number[] | undefined
  readonly why: string | undefined
}

type Row = Omit<SecretCase, 'sample' | 'text'> & { readonly parts: readonly string[]; readonly context?: string }

/** The samples are split in the file, so that no scanner trips over it; all are fake. */
export const SECRET_CASES: readonly SecretCase[] = [...readCorpus<Row>('secrets'), ...readOwn<Row>('secrets')].map(
  (row) => {
    const sample = row.parts.join('')
    const text = row.context?.includes('{s}') === true ? row.context.replace('{s}', () => sample) : sample
    return { ...row, sample, text }
  },
)

/** What of a sample is the secret, where other parts of it are public and stay. */
const SECRET_PARTS: Readonly<Record<string, RegExp>> = {
  'gcp-service-account': /-----BEGIN[^]*-----END PRIVATE KEY-----/,
  'azure-sas': /(?<=sig=).+/,
  cookie: /(?<==).+/,
  'postgres-url': /(?<=fake:)[^@]+/,
  'mongodb-url': /(?<=fake:)[^@]+/,
  'amqp-url': /(?<=fake:)[^@]+/,
  'curl-user': /(?<=fake:).+/,
  'signed-url': /(?<=Signature=).+/,
  jwk: /(?<="d":")[^"]+/,
  'discord-webhook': /(?<=webhooks\/).+/,
  'zapier-hook': /(?<=catch\/).+/,
  'session-token': /(?<==).+/,
  npmrc: /(?<=_authToken=).+/,
  netrc: /(?<=password ).+/,
}

export function secretOf({ kind, sample }: SecretCase): string {
  return SECRET_PARTS[kind]?.exec(sample)?.[0] ?? sample
}

/** The longest piece of a secret that a text still shows, tokens apart. */
export function longestLeak(redacted: string, secret: string): number {
  const text = redacted.replaceAll(/\[(?:secret|pii):[^\]]*\]/g, '\0')
  let longest = 0
  for (let at = 0; at < secret.length; at++) {
    while (at + longest < secret.length && text.includes(secret.slice(at, at + longest + 1))) longest++
  }
  return longest
}

/** The value that the cases about registered secrets register. */
export const REGISTERED: string = SECRET_CASES.find((one) => one.kind === 'registered-plain')!.sample
