import * as v from 'valibot'
import { probe } from './probe.mjs'

const entries = {
  city: v.pipe(v.string(), v.trim(), v.description('Where to')),
  days: v.optional(v.number()),
  when: v.pipe(
    v.string(),
    v.transform((text) => new Date(text)),
  ),
  odd: v.custom(() => true),
}

await probe({ valibot: v.object(entries), async: v.objectAsync(entries) })
