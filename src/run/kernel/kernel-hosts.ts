import { ServiceJournal } from '../approvals/service-journal.ts'
import type { ServiceJournalHost, ServiceNote } from '../approvals/service-journal.ts'
import type { Json } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { redactJson } from '../../redact/index.ts'

const hosts = new WeakMap<object, ServiceJournalHost>()

/** Records the host of a kernel, which keeps it private, for other rooms of this package. */
export function keepHost<H extends ServiceJournalHost>(kernel: object, host: H): H {
  hosts.set(kernel, host)
  return host
}

/** A journal of the service itself: notes shared by all processes over the store. `take` is called with every note once, in order. */
export function serviceJournal(kernel: object, id: string, take: (note: ServiceNote) => unknown): ServiceJournal {
  return new ServiceJournal(hosts.get(kernel)!, id, take)
}

/** A value as this kernel's redaction would record it. */
export function redactedBy(kernel: object, value: Json): Json {
  return redactJson(value, hosts.get(kernel)!.redactor)
}

/** Returns the default identity of the kernel. */
export function identityOf(kernel: object): Identity {
  return hosts.get(kernel)!.identity
}
