import type { ProgramTable } from './option-table.ts'

const COMMON = '--help --version'

const OVERWRITING = '-bfinTuv --force --interactive --no-clobber --no-target-directory --update? --verbose --backup?'

/** Programs that find, change and pack files. */
export const FILE_PROGRAMS: { readonly [name: string]: ProgramTable } = {
  chmod: {
    flag: `-cfvRrwxXst --changes --silent --quiet --verbose --no-preserve-root --preserve-root --recursive ${COMMON}`,
    path: '--reference',
  },
  cp: {
    flag: `-adlpPRrsxZ ${OVERWRITING} --archive --attributes-only --copy-contents --link --no-dereference --preserve? --parents --recursive --reflink? --remove-destination --strip-trailing-slashes --symbolic-link --one-file-system --context? --debug ${COMMON}`,
    value: '-S --no-preserve --sparse --suffix',
    path: '-t --target-directory',
    follow: '-LH --dereference',
  },
  dd: { flag: COMMON, operands: 'assignments' },
  df: {
    flag: `-ahHiklPTv --all --human-readable --si --inodes --local --no-sync --portability --sync --total --print-type --output? ${COMMON}`,
    value: '-Btx --block-size --type --exclude-type',
  },
  du: {
    flag: `-0abchklmPSsx --null --all --apparent-size --bytes --total --human-readable --inodes --count-links --no-dereference --separate-dirs --si --summarize --time? --one-file-system ${COMMON}`,
    value: '-Bdt --block-size --max-depth --threshold --time-style --exclude',
    path: '-X --exclude-from',
    follow: '-DHL --dereference --dereference-args',
    reach: '--files0-from',
  },
  file: {
    flag: '-vbcikhnN0prdl --brief --checking-printout --mime --apple --extension --mime-type --mime-encoding --keep-going --no-dereference --no-buffer --no-pad --print0 --preserve-date --raw --debug --list --help --version',
    value: '-eFP --exclude --exclude-quiet --separator --parameter',
    path: '-m --magic-file',
    run: '-z! -Z! -S! --uncompress! --uncompress-noreport! --no-sandbox!',
    write: '-C! --compile!',
    reach: '-f --files-from -s! --special-files!',
    follow: '-L --dereference',
  },
  find: {
    style: 'words',
    flag: '-P -O0 -O1 -O2 -O3 -d -daystart -depth -mount -xdev -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -empty -executable -readable -writable -nouser -nogroup -true -false -print -print0 -ls -prune -quit -a -and -o -or -not -help --help -version --version',
    value:
      '-D -maxdepth -mindepth -regextype -amin -atime -cmin -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -mmin -mtime -name -newermt -newerat -newerct -newerBt -path -perm -regex -size -type -uid -used -user -wholename -xtype -context -printf',
    path: '-anewer -cnewer -newer -samefile -newermm -newerma -newermc -neweram -neweraa -newerac -newercm -newerca -newercc',
    run: '-exec -execdir -ok -okdir',
    write: '-delete! -fprint -fprint0 -fprintf -fls',
    reach: '-files0-from',
    follow: '-L -H -follow',
  },
  ln: {
    flag: `-bdFfiLnPrsTv --directory --force --interactive --logical --no-dereference --physical --relative --symbolic --no-target-directory --verbose --backup? ${COMMON}`,
    value: '-S --suffix',
    path: '-t --target-directory',
  },
  mkdir: { flag: `-pvZ --parents --verbose --context? ${COMMON}`, value: '-m --mode' },
  mv: {
    flag: `-Z ${OVERWRITING} --strip-trailing-slashes --context --exchange --debug ${COMMON}`,
    value: '-S --suffix',
    path: '-t --target-directory',
  },
  readlink: {
    flag: `-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero ${COMMON}`,
  },
  realpath: {
    flag: `-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero ${COMMON}`,
    path: '--relative-to --relative-base',
  },
  rm: {
    flag: `-fiIrRdv --force --interactive? --one-file-system --no-preserve-root --preserve-root? --recursive --dir --verbose ${COMMON}`,
  },
  rmdir: { flag: `-pv --ignore-fail-on-non-empty --parents --verbose ${COMMON}` },
  stat: {
    flag: `-Lft --dereference --file-system --terse ${COMMON}`,
    value: '-c --cached --printf --format',
  },
  tar: {
    style: 'tar',
    remotes: true,
    flag: `-AcdrtuxGnSkUWOmpsMBijJzZalRvwo --catenate --concatenate --create --delete --diff --compare --append --test-label --list --update --extract --get --check-device --incremental --ignore-failed-read --no-check-device --no-seek --seek --sparse --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-vcs --exclude-vcs-ignores --no-null --no-recursion --no-unquote --no-verbatim-files-from --null --recursion --unquote --verbatim-files-from --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash --keep-directory-symlink --keep-newer-files --keep-old-files --no-overwrite-dir --overwrite --overwrite-dir --recursive-unlink --remove-files --skip-old-files --unlink-first --verify --ignore-command-error --no-ignore-command-error --to-stdout --clamp-mtime --delay-directory-restore --touch --no-delay-directory-restore --no-same-owner --no-same-permissions --numeric-owner --preserve-permissions --same-permissions --same-owner --preserve-order --same-order --acls --no-acls --no-selinux --no-xattrs --selinux --xattrs --force-local --multi-volume --read-full-records --ignore-zeros --old-archive --portability --posix --auto-compress --bzip2 --xz --lzip --lzma --lzop --no-auto-compress --zstd --gzip --gunzip --ungzip --compress --uncompress --hard-dereference --one-file-system --full-time --check-links --no-quote-chars --block-number --show-defaults --show-omitted-dirs --show-snapshot-field-ranges --show-transformed-names --show-stored-names --utc --verbose --interactive --confirmation --usage --occurrence? --atime-preserve? --backup? --checkpoint? --totals? ${COMMON}`,
    value:
      '-LbHVKN --tape-length --blocking-factor --format --label --starting-file --newer --after-date --newer-mtime --hole-detection --level --sparse-version --exclude --exclude-ignore --exclude-ignore-recursive --exclude-tag --exclude-tag-all --exclude-tag-under --group --mode --mtime --owner --sort --xattrs-exclude --xattrs-include --record-size --pax-option --suffix --strip-components --transform --xform --quote-chars --quoting-style --warning',
    path: '-fgX --file --listed-incremental --exclude-from --add-file --group-map --owner-map --one-top-level? --volno-file',
    chdir: '-C --directory',
    run: '-IF --use-compress-program --info-script --new-volume-script --checkpoint-action --to-command --rmt-command --rsh-command',
    write: '-P! --absolute-names! --index-file',
    reach: '-T --files-from',
    follow: '-h --dereference',
  },
  tee: { flag: `-aip --append --ignore-interrupts --output-error? ${COMMON}` },
  touch: {
    flag: `-acfhm --no-create --no-dereference ${COMMON}`,
    value: '-dt --date --time',
    path: '-r --reference',
  },
  tree: {
    flag: '-adfgpsuhDFQiNqAnCrtcUvxJXS --noreport --dirsfirst --prune --inodes --device --du --si --gitignore --help --version',
    value: '-LPIHT --filelimit --charset --timefmt --sort',
    reach: '--fromfile!',
    write: '-o -R!',
    follow: '-l',
  },
  unzip: {
    flag: '-aBcCfjKlLMnopqstTuUvVWXzZ2',
    value: '-PIO',
    path: '-d',
    write: '-:!',
  },
  xxd: { flag: '-abeEipruv', value: '-cglnosR' },
  zip: {
    style: 'pairs',
    flag: '-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -A -B -c -D -d -DF -dc -dd -dg -du -dv -E -e -F -FF -FS -f -g -h -h2 -i -ic -J -j -k -L -l -ll -la -M -MM -m -N -nw -q -R -S -sd -sf -so -su -sU -sv -T -tt -U -u -UN -V -v -w -ws -X -x -y -z -! -@ --quiet --verbose --recurse-patterns --junk-paths --test --update --freshen --move --delete --copy --grow --symlinks --no-dir-entries --no-extra --help --license --version',
    value: '-n -P -s -sp -t -Z -ds --password --suffixes --split-size --exclude --include --compression-method',
    path: '-b --temp-path',
    run: '-TT --unzip-command',
    write: '-O -lf -li! --out --output-file --logfile-path',
    reach: '-sb!',
    follow: '-r --recurse-paths',
  },
}
