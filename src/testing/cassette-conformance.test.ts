import { describe, expect, it } from 'vitest'
import { type CassetteStorage, cassette, scripted } from '../model/index.ts'
import type { OpenedModel } from './model-cases/case.ts'
import { type ModelBehaviour, modelConformance } from './model-conformance.ts'
import { scriptFor } from '../../test/contracts/scripted-behaviour.fixture.ts'

const shelves: CassetteStorage[] = []

/** Cases come in the same order each time, so each finds the shelf that it wrote when it was recorded. */
function opener(mode: 'record' | 'replay'): (behaviour: ModelBehaviour) => OpenedModel {
  let next = 0
  return (behaviour) => {
    let text: string | undefined
    shelves[next] ??= { read: () => text, write: (_name, written) => void (text = written) }
    const tape = cassette({ mode, storage: shelves[next++]! })
    const open = (): ReturnType<typeof scripted> =>
      mode === 'record' ? scripted(() => scriptFor(behaviour)) : expect.fail('the real model was called')
    return { model: tape.model({ id: 'scripted/model', open }) }
  }
}

const cannot = ['say-unknown'] as const
modelConformance({ name: 'that is recorded', open: opener('record'), cannot }, { describe, it, expect })
modelConformance({ name: 'that is replayed', open: opener('replay'), cannot }, { describe, it, expect })
