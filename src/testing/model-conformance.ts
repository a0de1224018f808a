import { answerCases } from './model-cases/answers.ts'
import type { ModelSubject } from './model-cases/case.ts'
import { endingCases } from './model-cases/endings.ts'
import type { TestApi } from './test-api.ts'

export type { ModelBehaviour } from './model-cases/case.ts'

/**
 * Tests the model contract, for authors of adapters: the stream folds into the same answer, calls and usage are those of the provider, errors report whether a
 * retry makes sense, aborted calls end, and requests are not changed. The adapter runs against a provider that produces the requested behaviour. The test
 * framework is a parameter.
 *
 * @example
 * ```ts
 * import { scripted } from 'mandate/model'
 * import { modelConformance } from 'mandate/kit'
 * import type { TestApi } from 'mandate/kit'
 * declare const api: TestApi // `{ describe, it, expect }` of vitest
 * modelConformance(
 *   {
 *     name: 'one that only talks',
 *     open: (behaviour) => ({ model: scripted(() => ('text' in behaviour ? behaviour.text : '')) }),
 *     cannot: ['call', 'call-raw', 'say-unknown', 'fail', 'break', 'hang'],
 *   },
 *   api,
 * )
 * ```
 */
export function modelConformance(subject: ModelSubject, { describe, it, expect }: TestApi): void {
  describe(`the model ${subject.name}`, () => {
    for (const { name, behaviour, check } of [...answerCases, ...endingCases]) {
      if (subject.cannot?.includes(behaviour.kind) === true) continue
      it(name, async () => {
        const opened = await subject.open(behaviour)
        try {
          await check({ model: opened.model, expect })
        } finally {
          await opened.close?.()
        }
      })
    }
  })
}
