import type { Json, JsonObject } from '../core/index.ts'

export type PromptEngine = 'handlebars' | 'liquid' | 'mustache' | 'fstring'

/** A versioned template. */
export type PromptTemplate = {
  readonly id: string
  /** `1`, `2`, `3`, … */
  readonly version: string
  readonly name?: string
  readonly text: string
  /** Variables that must be given for every rendering. */
  readonly requiredVars?: readonly string[]
  /** `mustache` by default. */
  readonly engine?: PromptEngine
  readonly tags?: readonly string[]
  readonly metadata?: JsonObject
  readonly createdBy?: string
  /** ISO 8601. */
  readonly createdAt?: string
}

/** A template without the version that the store assigns. */
export type PromptDraft = Omit<PromptTemplate, 'version' | 'createdAt'>

export type PromptParams = { readonly [name: string]: Json | undefined }

export interface RenderOptions {
  /** `true` (default): a missing variable is an error. `false`: it renders as nothing and is listed in `meta.missing`. */
  readonly throwOnMissing?: boolean | undefined
  /** A version or a label; the newest version by default. */
  readonly version?: string | undefined
}

export type RenderedPrompt = {
  readonly text: string
  readonly meta: { readonly tokensEstimate: number; readonly version: string; readonly missing?: readonly string[] }
}

export type PromptValidation = { readonly ok: boolean; readonly errors?: readonly string[] }

/** Stores prompt templates with versions, validates and renders them. */
export interface PromptStore {
  /** The newest version, or the one with the given number or label; `null` if there is none. */
  get(templateId: string, version?: string): Promise<PromptTemplate | null>
  /** Renders a template. */
  render(templateId: string, params?: PromptParams, options?: RenderOptions): Promise<RenderedPrompt>
  /** Stores a new version; stored versions never change. */
  put(template: PromptDraft, options?: { readonly author?: string | undefined }): Promise<PromptTemplate>
  /** The newest version of each matching template. */
  list(filter?: {
    readonly tag?: string | undefined
    readonly name?: string | undefined
  }): Promise<readonly PromptTemplate[]>
  /** Validates a template without storing it. */
  validate(templateText: string, engine?: PromptEngine): Promise<PromptValidation>
  /** Points a label such as `production` to a version; an existing label moves. */
  label?(
    templateId: string,
    label: string,
    version: string,
    options?: { readonly author?: string | undefined },
  ): Promise<void>
  /** The labels of a template with their versions. */
  labels?(templateId: string): Promise<Readonly<Record<string, string>>>
  /** All versions of a template, oldest first. */
  versions?(templateId: string): Promise<readonly PromptTemplate[]>
  /** Waits for pending calls, then closes the file or connection. Idempotent. */
  close?(): Promise<void>
}
