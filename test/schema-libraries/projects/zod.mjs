import { z } from 'zod'
import { probe } from './probe.mjs'

await probe({
  zod: z
    .object({
      city: z.string().trim().describe('Where to'),
      days: z.number().optional(),
      when: z.string().transform((text) => new Date(text)),
      odd: z.custom(() => true),
    })
    .describe('A trip'),
})
