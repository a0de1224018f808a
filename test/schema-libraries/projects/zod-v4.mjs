import * as z from 'zod/v4'
import * as mini from 'zod/v4-mini'
import { probe } from './probe.mjs'

const city = mini.string().check(mini.trim())
mini.globalRegistry.add(city, { description: 'Where to' })

await probe({
  v4: z.object({
    city: z.string().trim().describe('Where to'),
    days: z.number().optional(),
    when: z.string().transform((text) => new Date(text)),
    odd: z.custom(() => true),
  }),
  mini: mini.object({
    city,
    days: mini.optional(mini.number()),
    when: mini.pipe(
      mini.string(),
      mini.transform((text) => new Date(text)),
    ),
    odd: mini.custom(() => true),
  }),
})
