import { answerCases } from './model-cases/answers.ts'
import type { ModelSubject } from './model-cases/case.ts'
import { endingCases } from './model-cases/endings.ts'
import type { TestApi } from './test-api.ts'

export type { ModelBehaviour } from './model-cases/case.ts'

/**
 * What every model promises, as tests: a stream that folds into the same answer, calls and counts as the provider gave them, failures
 * that say whether to try again, calls that end when they are cut, requests left alone. Authors of adapters run these against a
 * provider of theirs that does as it is told; the test framework is handed in.
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
