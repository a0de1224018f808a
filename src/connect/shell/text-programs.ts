import type { ProgramTable } from './option-table.ts'

const COMMON = '--help --version'

/** Programs that process text, and those that list and change files. */
export const TEXT_PROGRAMS: { readonly [name: string]: ProgramTable } = {
  awk: {
    flag: `-S --sandbox ${COMMON}`,
    value: '-F --field-separator',
    run: '-f -v -e -i -l -E -W --file --assign --source --include --load --exec',
    write: '-o -p -d -D --pretty-print? --profile? --dump-variables?',
    operands: 'code',
  },
  base64: { flag: `-di --decode --ignore-garbage ${COMMON}`, value: '-w --wrap' },
  basename: { flag: `-az --multiple --zero ${COMMON}`, value: '-s --suffix', operands: 'text' },
  cat: {
    flag: `-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting ${COMMON}`,
  },
  cmp: { flag: `-blsv --print-bytes --verbose --quiet --silent ${COMMON}`, value: '-in --ignore-initial --bytes' },
  comm: {
    flag: `-123z --check-order --nocheck-order --total --zero-terminated ${COMMON}`,
    value: '--output-delimiter',
  },
  cut: {
    flag: `-nsz --complement --only-delimited --zero-terminated ${COMMON}`,
    value: '-bcdf --bytes --characters --delimiter --fields --output-delimiter',
  },
  date: {
    flag: `-Ru -I? --debug --resolution --rfc-email --utc --universal --iso-8601? ${COMMON}`,
    value: '-d --date --rfc-3339',
    path: '-fr --file --reference',
    write: '-s --set',
    operands: 'text',
  },
  diff: {
    flag: `-qsenycuptTNiEZbwBadv --normal --brief --report-identical-files --ed --rcs --side-by-side --left-column --suppress-common-lines --show-c-function --expand-tabs --initial-tab --suppress-blank-empty --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --text --strip-trailing-cr --minimal --speed-large-files --context? --unified? --color? ${COMMON}`,
    value:
      '-CUWFxSID --label --width --show-function-line --tabsize --exclude --starting-file --ignore-matching-lines --ifdef --line-format --old-line-format --new-line-format --unchanged-line-format --old-group-format --new-group-format --unchanged-group-format --changed-group-format --horizon-lines --palette',
    path: '-X --exclude-from --from-file --to-file',
    run: '-l! --paginate!',
    follow: '-r --recursive',
  },
  dirname: { flag: `-z --zero ${COMMON}`, operands: 'text' },
  echo: { flag: '-neE', operands: 'text' },
  expand: { flag: `-i --initial ${COMMON}`, value: '-t --tabs' },
  expr: { flag: COMMON, operands: 'text' },
  false: { operands: 'text' },
  fmt: {
    flag: `-cstu --crown-margin --split-only --tagged-paragraph --uniform-spacing ${COMMON}`,
    value: '-pwg --prefix --width --goal',
  },
  fold: { flag: `-bs --bytes --spaces ${COMMON}`, value: '-w --width' },
  grep: {
    flag: `-EFGPiywxzsvVbnHhoqaIrLlcTZNU --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match --byte-offset --line-number --line-buffered --with-filename --no-filename --only-matching --quiet --silent --text --recursive --files-without-match --files-with-matches --count --initial-tab --null --no-group-separator --binary --unix-byte-offsets --color? --colour? ${COMMON}`,
    value:
      '-emdDABC --regexp --max-count --label --binary-files --directories --devices --include --exclude --exclude-dir --before-context --after-context --context --group-separator',
    path: '-f --file --exclude-from',
    follow: '-R --dereference-recursive',
    operands: 'pattern',
    patterns: '-e --regexp -f --file',
  },
  head: { flag: `-qvz --quiet --silent --verbose --zero-terminated ${COMMON}`, value: '-cn --bytes --lines' },
  id: { flag: `-aZgGnruz --context --group --groups --name --real --user --zero ${COMMON}`, operands: 'text' },
  join: {
    flag: `-iz --ignore-case --check-order --nocheck-order --header --zero-terminated ${COMMON}`,
    value: '-aejotv12',
  },
  jq: {
    flag: '-cnesrRCMSjaV --compact-output --null-input --exit-status --slurp --raw-output --raw-input --color-output --monochrome-output --sort-keys --join-output --ascii-output --tab --unbuffered --stream --seq --args --jsonargs --help --version',
    value: '--indent --arg --argjson',
    path: '-L --library-path',
    reach: '-f --from-file --slurpfile --rawfile --argfile',
    operands: 'pattern',
  },
  ls: {
    flag: `-aAbBcCdDfgGhHiklmnNopqQrRsStuUvxXZ1 -F? --all --almost-all --author --escape --ignore-backups --directory --dired --file-type --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --inode --kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --reverse --recursive --size --context --zero --color? --classify? --hyperlink? ${COMMON}`,
    value:
      '-ITw --block-size --format --hide --indicator-style --ignore --quoting-style --sort --time --time-style --tabsize --width',
    follow: '-L --dereference',
  },
  md5sum: { flag: `-btz --binary --tag --text --zero ${COMMON}`, reach: '-c! --check!' },
  nl: {
    flag: `-p --no-renumber ${COMMON}`,
    value:
      '-bdfhilnsvw --body-numbering --section-delimiter --footer-numbering --header-numbering --line-increment --join-blank-lines --number-format --number-separator --starting-line-number --number-width',
  },
  od: {
    flag: `-vabcdfilosx -w? -S? --output-duplicates --traditional --strings? --width? ${COMMON}`,
    value: '-AjNt --address-radix --endian --skip-bytes --read-bytes --format',
  },
  paste: { flag: `-sz --serial --zero-terminated ${COMMON}`, value: '-d --delimiters' },
  printenv: { flag: `-0 --null ${COMMON}`, operands: 'text' },
  printf: { operands: 'text' },
  pwd: { flag: `-LP --logical --physical ${COMMON}` },
  rev: { flag: '-hV --help --version' },
  rg: {
    flag: '-aFHIPSUbchilnNopqsuvVwxz0 --text --fixed-strings --with-filename --no-filename --pcre2 --smart-case --multiline --byte-offset --count --help --ignore-case --files-with-matches --files-without-match --line-number --no-line-number --only-matching --pretty --quiet --case-sensitive --unrestricted --invert-match --version --word-regexp --line-regexp --search-zip --null --column --heading --no-heading --hidden --no-ignore --no-ignore-vcs --files --json --stats --trim --vimgrep --no-messages --sort-files --passthru --no-config --type-list --multiline-dotall --crlf --null-data --count-matches --include-zero --debug --trace',
    value:
      '-ABCegMmjrtTdE --after-context --before-context --context --regexp --glob --iglob --max-columns --max-count --threads --replace --type --type-not --max-depth --max-filesize --encoding --color --colors --sort --sortr --engine --type-add --type-clear --field-context-separator --field-match-separator --path-separator --context-separator --dfa-size-limit --regex-size-limit',
    path: '-f --file --ignore-file',
    run: '--pre --pre-glob --hostname-bin',
    follow: '-L --follow',
    operands: 'pattern',
    patterns: '-e --regexp -f --file --files --type-list',
  },
  sed: {
    flag: `-nErsuz --quiet --silent --debug --posix --regexp-extended --separate --sandbox --unbuffered --null-data ${COMMON}`,
    value: '-l --line-length',
    run: '-ef --expression --file',
    write: '-i? --in-place?',
    follow: '--follow-symlinks',
    operands: 'code',
    sandbox: '--sandbox',
  },
  seq: { flag: `-w --equal-width ${COMMON}`, value: '-fs --format --separator', operands: 'text' },
  sha256sum: { flag: `-btz --binary --tag --text --zero ${COMMON}`, reach: '-c! --check!' },
  shuf: {
    flag: `-erz --echo --repeat --zero-terminated ${COMMON}`,
    value: '-in --input-range --head-count',
    path: '--random-source',
    write: '-o --output',
  },
  sleep: { flag: COMMON, operands: 'text' },
  sort: {
    flag: `-bdfgiMhnRrVcCmsuz --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --check? --debug --merge --stable --unique --zero-terminated ${COMMON}`,
    value: '-kSt --sort --batch-size --key --buffer-size --field-separator --parallel',
    path: '-T --temporary-directory --random-source',
    run: '--compress-program',
    write: '-o --output',
    reach: '--files0-from',
  },
  split: {
    flag: `-dxeu --elide-empty-files --unbuffered --verbose --numeric-suffixes? --hex-suffixes? ${COMMON}`,
    value: '-abClnt --suffix-length --additional-suffix --bytes --line-bytes --lines --number --separator',
    run: '--filter',
  },
  strings: {
    flag: '-afowhvV --all --data --print-file-name --include-all-whitespace --help --version',
    value: '-nteTsU --bytes --radix --encoding --target --output-separator --unicode',
  },
  tac: { flag: `-br --before --regex ${COMMON}`, value: '-s --separator' },
  tail: {
    flag: `-fFqvz --quiet --silent --retry --verbose --zero-terminated --follow? ${COMMON}`,
    value: '-cns --bytes --lines --max-unchanged-stats --pid --sleep-interval',
  },
  test: { operands: 'text' },
  tr: {
    flag: `-cCdst --complement --delete --squeeze-repeats --truncate-set1 ${COMMON}`,
    operands: 'text',
  },
  true: { operands: 'text' },
  uname: { flag: `-asnrvmpio --all ${COMMON}` },
  uniq: {
    flag: `-cdDiuz --count --repeated --ignore-case --unique --zero-terminated --all-repeated? --group? ${COMMON}`,
    value: '-fsw --skip-fields --skip-chars --check-chars',
  },
  wc: {
    flag: `-cmlLw --bytes --chars --lines --max-line-length --words ${COMMON}`,
    value: '--total',
    reach: '--files0-from',
  },
  whoami: { flag: COMMON },
  yes: { flag: COMMON, operands: 'text' },
}
