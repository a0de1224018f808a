import { type ProgramTable, joined } from './option-table.ts'

const DIFFS: ProgramTable = {
  negatable: true,
  flag: '-psuzabwWRBMCDtrcqvi -U? -l? -M? -C? -B? -X? --patch --no-patch --unified? --function-context --raw --patch-with-raw --patch-with-stat --numstat --shortstat --dirstat? --cumulative --dirstat-by-file? --check --summary --name-only --name-status --stat? --compact-summary --binary --full-index --color? --abbrev? --no-prefix --break-rewrites? --find-renames? --irreversible-delete --find-copies? --find-copies-harder --no-renames --rename-empty --follow --minimal --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines --indent-heuristic --patience --histogram --word-diff? --color-words? --color-moved? --relative? --text --exit-code --quiet --ignore-submodules? --submodule? --ita-invisible-in-index --ita-visible-in-index --pickaxe-all --pickaxe-regex --cached --staged --merge-base --cc --combined-all-paths --diff-merges? --remerge-diff --no-index --base --ours --theirs',
  value:
    '-SGI --stat-width --stat-name-width --stat-graph-width --stat-count --ws-error-highlight --src-prefix --dst-prefix --line-prefix --inter-hunk-context --output-indicator-new --output-indicator-old --output-indicator-context --ignore-matching-lines --diff-algorithm --anchored --word-diff-regex --color-moved-ws --rotate-to --skip-to --find-object --diff-filter',
  path: '-O',
  run: '--ext-diff! --textconv!',
  write: '--output',
}

const HISTORY: ProgramTable = joined(DIFFS, {
  flag: '-gEFP --all --branches? --tags? --remotes? --not --oneline --pretty? --graph --decorate? --source --use-mailmap --mailmap --no-merges --merges --reverse --date-order --author-date-order --topo-order --first-parent --simplify-merges --simplify-by-decoration --full-history --sparse --dense --ancestry-path? --walk-reflogs --left-right --left-only --right-only --cherry --cherry-pick --cherry-mark --boundary --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --basic-regexp --invert-grep --all-match --log-size --parents --children --count --no-walk? --do-walk --relative-date --clear-decorations --expand-tabs? --no-expand-tabs --notes? --show-notes? --no-notes --no-commit-id --root --summary --numbered --email --committer --objects --timestamp --remove-empty --unpacked --in-commit-order --abbrev-commit --no-decorate --encode-email-headers --show-pulls --merge --bisect --exclude-promisor-objects --header',
  value:
    '-nL --format --date --since --after --until --before --author --grep --grep-reflog --max-count --skip --min-parents --max-parents --glob --exclude --decorate-refs --decorate-refs-exclude --encoding --group --since-as-filter --max-age --min-age --exclude-hidden --filter --filter-print-omitted',
  run: '--show-signature!',
  reach: '--stdin!',
})

const REMOTE: ProgramTable = {
  negatable: true,
  remotes: true,
  flag: '-vqaftnkpPu46 --verbose --quiet --progress --all --append --atomic --force --multiple --tags --prefetch --prune --prune-tags --dry-run --write-fetch-head --keep --update-head-ok --unshallow --refetch --update-shallow --ipv4 --ipv6 --negotiate-only --show-forced-updates --write-commit-graph --set-upstream --heads --refs --symref --exit-code --get-url --porcelain --mirror --delete --thin --follow-tags --force-with-lease? --force-if-includes --auto-maintenance --auto-gc',
  value:
    '-jo --jobs --depth --shallow-since --shallow-exclude --deepen --refmap --server-option --negotiation-tip --filter --sort --push-option',
  run: '--upload-pack --receive-pack --exec --signed? --no-verify!',
  reach: '--recurse-submodules? --repo --stdin!',
}

const WORK: ProgramTable = {
  negatable: true,
  flag: '-nvqfuAaNsbzdmlkth --dry-run --verbose --quiet --force --update --renormalize --intent-to-add --all --ignore-removal --refresh --ignore-errors --ignore-missing --sparse --cached --ignore-unmatch --guess --overlay --progress --merge --detach --track? --overwrite-ignore --ignore-other-worktrees --ours --theirs --ignore-skip-worktree-bits --pathspec-file-nul --staged --worktree --ignore-unmerged --mixed --soft --hard --keep --discard-changes --amend --allow-empty --allow-empty-message --signoff --short --branch --show-stash --ahead-behind --porcelain? --long --null --untracked-files? --ignored? --ignore-submodules? --column? --renames --find-renames? --reset-author --status --include --only --no-edit --no-verify --list --show-current --remotes --move --copy --create-reflog --ignore-case --color? --contains? --no-contains? --merged? --no-merged? --unset-upstream --annotate --delete --abbrev? --tags --exact-match --always --dirty? --broken? --first-parent --debug --bare --shared? --stage --deleted --modified --others --killed --directory --eol --no-empty-directory --unmerged --resolve-undo --exclude-standard --full-name --error-unmatch --deduplicate --name-only --name-status --object-only --full-tree --points-at? --verify --head --heads --dereference --hash? --shell --perl --python --tcl --octopus --independent --is-ancestor --fork-point --incremental --root --show-stats --score-debug --show-name --show-number --line-porcelain --show-email --color-lines --color-by-age --minimal --squash --ff --ff-only --no-ff --no-commit --commit --abort --quit --continue --stat --autostash --allow-unrelated-histories --keep-index --include-untracked --index --patch-with-stat --show-toplevel --show-prefix --show-cdup --git-dir --is-inside-work-tree --abbrev-ref? --symbolic --symbolic-full-name --batch-check? --batch-all-objects --buffer --unordered --use-mailmap',
  value:
    '-LB --chmod --conflict --orphan --source --author --date --message --fixup --cleanup --trailer --sort --format --set-upstream-to --candidates --match --exclude --exclude-per-directory --with-tree --count --ignore-rev --initial-branch --object-format --create --force-create --reuse-message --strategy-option --into-name',
  path: '--file --pathspec-from-file --exclude-from --contents --ignore-revs-file --path',
  run: '--edit! --interactive! --patch! --edit-description! --gpg-sign? --sign! --local-user --verify-signatures! --textconv! --filters! --strategy --template --separate-git-dir --recurse-submodules? --reedit-message --batch-command?',
}

/** Letters with another meaning in some of these commands are removed from the shared table. */
function work(letters: ProgramTable): ProgramTable {
  return joined({ ...WORK, flag: WORK.flag!.replace(/^-\w+ /, ''), value: WORK.value!.replace(/^-\w+ /, '') }, letters)
}

/** Git commands that run programs, or configure what later commands run. */
const RUNNING =
  'bisect citool config credential credential-cache credential-store cvsserver daemon difftool fast-import filter-branch gui help hook http-backend imap-send instaweb maintenance mergetool p4 quiltimport rebase receive-pack remote-ext remote-fd request-pull send-email shell submodule svn upload-archive upload-pack var web--browse worktree'

export const GIT: ProgramTable = {
  operands: 'subcommand',
  negatable: true,
  flag: '-vhP --version --help --html-path --man-path --info-path --no-pager --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks',
  value: '--namespace --super-prefix --attr-source',
  path: '--git-dir --work-tree',
  chdir: '-C',
  run: '-p! --paginate! --exec-path? --config-env --upload-pack',
  config: '-c',
  commands: {
    ...Object.fromEntries(
      RUNNING.split(' ').map((name) => [name, { operands: 'command' } satisfies ProgramTable] as const),
    ),
    add: work({ flag: '-nvfuAN', run: '-eip!' }),
    archive: {
      negatable: true,
      flag: '-lv0123456789 --list --verbose --worktree-attributes',
      value: '--format --prefix --mtime',
      path: '--add-file',
      run: '--exec --remote',
      write: '-o --output',
    },
    blame: work({ flag: '-bltsfnpewcMCW', value: '-L', path: '-S' }),
    branch: work({ flag: '-vqdDmMcCfarli -t?', value: '-u' }),
    'cat-file': work({ flag: '-tsep', operands: 'paths' }),
    checkout: work({ flag: '-qfdtlm23', value: '-bB', run: '-p!' }),
    clone: {
      negatable: true,
      remotes: true,
      flag: '-vqnls46 --verbose --quiet --progress --reject-shallow --no-checkout --bare --naked --mirror --local --no-hardlinks --shared --dissociate --single-branch --no-tags --shallow-submodules --ipv4 --ipv6 --sparse --checkout --hardlinks --tags',
      value: '-jobs --jobs --origin --branch --depth --shallow-since --shallow-exclude --server-option --filter',
      path: '--reference --reference-if-able',
      run: '-u --upload-pack --template --separate-git-dir --bundle-uri',
      config: '-c --config',
      reach: '--recurse-submodules? --recursive? --remote-submodules! --also-filter-submodules!',
    },
    commit: work({ flag: '-qvsaozn -u?', value: '-m --squash', path: '-F', run: '-tcCeip -S?' }),
    describe: work({}),
    diff: DIFFS,
    'diff-index': DIFFS,
    'diff-tree': DIFFS,
    fetch: REMOTE,
    'for-each-ref': work({ flag: '-spi' }),
    grep: {
      negatable: true,
      flag: '-aiIwvhHEGFPnlLzocWqr -p --cached --no-index --untracked --exclude-standard --recurse-submodules --invert-match --ignore-case --word-regexp --text --recursive --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --full-name --files-with-matches --name-only --files-without-match --null --only-matching --count --color? --break --heading --show-function --function-context --and --or --not --quiet --all-match --index',
      value: '-eABCm --max-depth --context --before-context --after-context --threads --max-count',
      path: '-f',
      run: '-O? --open-files-in-pager? --textconv! --ext-grep!',
      operands: 'pattern',
      patterns: '-e -f',
    },
    init: work({ flag: '-q', value: '-b' }),
    log: HISTORY,
    'ls-files': work({ flag: '-cdmoiskuzvtf', value: '-x', path: '-X' }),
    'ls-remote': joined(REMOTE, { flag: '-h' }),
    'ls-tree': work({ flag: '-drtlz' }),
    merge: work({ flag: '-nqv', value: '-mX', path: '-F', run: '-es -S?' }),
    'merge-base': work({ flag: '-a' }),
    mv: work({ flag: '-vfnk' }),
    pull: joined(REMOTE, {
      flag: '--rebase? --stat --summary --log? --squash --commit --ff --ff-only --autostash',
      run: '--edit! --strategy --gpg-sign?',
    }),
    push: joined(REMOTE, { flag: '-d' }),
    reflog: HISTORY,
    remote: { negatable: true, remotes: true, flag: '-vnp --verbose --push --all', reach: '-ftm --mirror?' },
    reset: work({ flag: '-qN', run: '-p!' }),
    restore: work({ flag: '-SWqm23', value: '-s', run: '-p!' }),
    'rev-list': HISTORY,
    'rev-parse': work({
      flag: '-q --short? --all --branches? --remotes? --local-env-vars --git-common-dir --absolute-git-dir',
    }),
    rm: work({ flag: '-nqfr' }),
    shortlog: joined(HISTORY, { flag: '-nsec -w?' }),
    show: HISTORY,
    'show-ref': work({ flag: '-dqs', reach: '--exclude-existing?' }),
    stash: work({ flag: '-qkuaS', value: '-m', run: '-p!' }),
    status: work({ flag: '-sbvz -u? -M?' }),
    switch: work({ flag: '-dqfmt', value: '-cC' }),
    tag: work({ flag: '-adfli -n?', value: '-m', path: '-F', run: '-suev' }),
    whatchanged: HISTORY,
  },
}

/** Settings that a command may give to git with `-c`: those that only change the display. Any other may name a program or a file. */
export const GIT_SETTINGS: RegExp =
  /^(?:color\.[\w.-]+|column\.\w+|advice\.\w+|log\.\w+|core\.(?:quotepath|abbrev|autocrlf|eol|safecrlf|ignorecase|precomposeunicode)|diff\.(?:renames|renamelimit|context|interhunkcontext|mnemonicprefix|noprefix|algorithm|colormoved|wserrorhighlight|wordregex|submodule|indentheuristic|relative|statgraphwidth)|grep\.(?:linenumber|column|patterntype|extendedregexp|fullname|threads)|status\.\w+|user\.(?:name|email)|init\.defaultbranch|format\.pretty|i18n\.\w+|blame\.\w+|merge\.(?:conflictstyle|renames|renamelimit|ff|stat)|tag\.sort|branch\.sort|versionsort\.suffix|commit\.(?:status|verbose)|safe\.bareRepository)$/i
