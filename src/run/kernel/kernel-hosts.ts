import { ServiceJournal } from '../approvals/service-journal.ts'
import type { ServiceJournalHost, ServiceNote } from '../approvals/service-journal.ts'
import type { Json } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { redactJson } from '../../redact/index.ts'

const hosts = new WeakMap<object, ServiceJournalHost>()

/** Records what a kernel keeps private, for rooms of this package. */
export function keepHost<H extends ServiceJournalHost>(kernel: object, host: H): H {
  hosts.set(kernel, host)
  return host
}

/** A journal of the service itself: notes that all processes over the store share. `take` gets every note once, in order. */
export function serviceJournal(kernel: object, id: string, take: (note: ServiceNote) => unknown): ServiceJournal {
  return new ServiceJournal(hosts.get(kernel)!, id, take)
}

/** A value as a journal of this kernel would have it. */
export function redactedBy(kernel: object, value: Json): Json {
  return redactJson(value, hosts.get(kernel)!.redactor)
}

/** Who acts where no identity is given. */
export function identityOf(kernel: object): Identity {
  return hosts.get(kernel)!.identity
}
