import type { Json, JsonObject } from '../core/index.ts'

export type PromptEngine = 'handlebars' | 'liquid' | 'mustache' | 'fstring'

/** A versioned text with holes. */
export type PromptTemplate = {
  readonly id: string
  /** `1`, `2`, `3`, … */
  readonly version: string
  readonly name?: string
  readonly text: string
  /** Variables without which it is never rendered. */
  readonly requiredVars?: readonly string[]
  /** `mustache` when absent. */
  readonly engine?: PromptEngine
  readonly tags?: readonly string[]
  readonly metadata?: JsonObject
  readonly createdBy?: string
  /** ISO 8601. */
  readonly createdAt?: string
}

/** A template before the store gave it a version. */
export type PromptDraft = Omit<PromptTemplate, 'version' | 'createdAt'>

export type PromptParams = { readonly [name: string]: Json | undefined }

export interface RenderOptions {
  /** `true` (default): a variable that is not given is an error. `false`: it renders as nothing and is listed in `meta.missing`. */
  readonly throwOnMissing?: boolean | undefined
  /** A version, or a label; the newest when absent. */
  readonly version?: string | undefined
}

export type RenderedPrompt = {
  readonly text: string
  readonly meta: { readonly tokensEstimate: number; readonly version: string; readonly missing?: readonly string[] }
}

export type PromptValidation = { readonly ok: boolean; readonly errors?: readonly string[] }

/** Where prompt templates are kept, versioned, checked and rendered. */
export interface PromptStore {
  /** The newest version, or the one asked for by number or label; `null` when there is none. */
  get(templateId: string, version?: string): Promise<PromptTemplate | null>
  render(templateId: string, params?: PromptParams, options?: RenderOptions): Promise<RenderedPrompt>
  /** Stores a new version; what is stored never changes. */
  put(template: PromptDraft, options?: { readonly author?: string | undefined }): Promise<PromptTemplate>
  /** The newest version of each template that fits. */
  list(filter?: {
    readonly tag?: string | undefined
    readonly name?: string | undefined
  }): Promise<readonly PromptTemplate[]>
  validate(templateText: string, engine?: PromptEngine): Promise<PromptValidation>
  /** Points a label such as `production` at a version; a label that exists moves. */
  label?(
    templateId: string,
    label: string,
    version: string,
    options?: { readonly author?: string | undefined },
  ): Promise<void>
  /** The labels of a template, and the versions they point at. */
  labels?(templateId: string): Promise<Readonly<Record<string, string>>>
  /** All versions of a template, oldest first. */
  versions?(templateId: string): Promise<readonly PromptTemplate[]>
  /** Waits for what was asked before, then lets go of file or connection. Closing twice is closing once. */
  close?(): Promise<void>
}
