/* SPDX-License-Identifier: Apache-2.0 */

/* Long because it is a table: one row a program, in groups of a kind. */
#include "model/argrisk_rows.h"

/* Short on purpose: tools that have no row of their own have to stay usable. */
const struct argrisk_row argrisk_rows_any = {
	.runs = "--exec= --execute= --eval= --command= --shell= --rsh= --pager= --editor= "
		"--plugin= --load= --init-file= --rcfile=",
	.config = "--config= --config-file=",
	.fine = "--init --edit --page",
};

const struct argrisk_row argrisk_rows[] = {
	/* version control */
	{
		.programs = "git",
		.runs = ">-c: >-p --paginate --config-env= --exec-path= --exec= --upload-pack= "
			"--receive-pack= clone>-u: clone>-c: --config= --template= "
			"--open-files-in-pager grep>-O --ext-diff --textconv rebase>-x: "
			"difftool>-x: --extcmd= --tool= --smtp-server= --sendmail-cmd= "
			"--to-cmd= --cc-cmd= --header-cmd= bisect>run= submodule>foreach= "
			"filter-branch difftool mergetool instaweb daemon shell hook cvsimport "
			"cvsserver p4 svn send-email fast-import web--browse gui citool "
			"lfs>install lfs>update clone>*::* fetch>*::* pull>*::* push>*::* "
			"ls-remote>*::* remote>*::* submodule>*::* archive>*::* bundle>*::* "
			"push>/* push>./* push>../* push>file:* *://-* *@-* remote-ext "
			"remote-fd receive-pack upload-pack upload-archive http-backend "
			"maintenance imap-send archimport",
		.config = ">-C: --git-dir= --work-tree= --namespace= --super-prefix= "
			  "--attr-source= --separate-git-dir= --reference= --reference-if-able= "
			  "config credential credential-cache credential-store",
		.files = "--output= --output-directory= archive>-o: format-patch>-o: --contents= "
			 "--no-index --pathspec-from-file= --exclude-from= commit>-F: "
			 "commit>--file= commit>-t: tag>-F: tag>--file= merge>-F: merge>--file= "
			 "notes>-F: notes>--file= grep>-f: --unsafe-paths "
			 "checkout-index>--prefix= diff>/* diff>../* hash-object>/* "
			 "hash-object>../* clone>/* clone>../* init>/* init>../* bundle>create",
		.values = "commit>mCcSu tag>mun merge>mXsS clone>obj push>o rebase>sXCS "
			  "grep>emABC format-patch>v notes>m",
		.flags = "--no-pager --bare --no-replace-objects --literal-pathspecs "
			 "--no-optional-locks",
	},
	{
		.programs = "git-lfs",
		.runs = "install update standalone-file *::* *://-*",
		.files = "-I: --include-from=",
	},
	{
		.programs = "svn svnadmin svnsync svnmucc",
		.runs = "--config-option= --diff-cmd= --diff3-cmd= --editor-cmd= *+ssh://* "
			"*tunnel*",
		.config = "--config-dir=",
		.files = "-F: --file= --targets=",
		.values = "mrc",
	},
	{
		.programs = "hg chg",
		.runs = "--config= -e: --ssh= --remotecmd= --debugger extdiff serve ssh://-* "
			"--pager= --tool= -t:",
		.config = "--cwd= -R: --repository= config",
		.files = "-l: --logfile= -o: --output= bundle archive",
		.fine = "co",
		.cut = true,
	},
	{
		.programs = "gh glab hub",
		.runs = "alias extension extensions ext codespace cs --editor -e --upload-pack= "
			"repo>-c: repo>-u: repo>*::*",
		.config = "api auth config secret variable ssh-key gpg-key --hostname=",
		.files = "-F: --body-file= --notes-file= -T: --template= --recover= --input= "
			 "run>-D: --dir= release>-D: release>-O: --output= --env-file= gist "
			 "release>upload",
		.values = "RBbHtqL",
		.fine = "--body --notes --env",
	},

	/* remote copies */
	{
		.programs = "scp sftp",
		.runs = "-o: -S: -J: -D: -X: -s: -F:",
		.config = "-i:",
		.files = "-b:",
		.values = "Pcl",
	},
	{
		.programs = "ssh-copy-id ssh-keygen ssh-add ssh-keyscan",
		.runs = "-o: -D: -w: -s: -S: -O:",
		.files = "-f: -i: -t: -k: -M: -I:",
	},
	{
		.programs = "rsync",
		.runs = "-e: --rsh= --rsync-path= -M: --remote-option= --daemon --early-input= "
			"--server --sender",
		.config = "--config= --dparam= --password-file=",
		.files = "-T: --temp-dir= --log-file= --write-batch= --only-write-batch= "
			 "--read-batch= --partial-dir= --backup-dir= --compare-dest= "
			 "--copy-dest= --link-dest= --files-from= --exclude-from= "
			 "--include-from= -f: --filter= --copy-devices --write-devices",
		.values = "B",
		.fine = "--backup --partial --exclude --include",
	},
	{
		.programs = "rclone",
		.runs = "--password-command= --sftp-ssh= --rc rcd serve mount :*",
		.config = "--config= config authorize",
		.files = "--log-file= --files-from= --cache-dir= --temp-dir= --filter-from= "
			 "--include-from= --exclude-from=",
	},

	/* transfers over the network */
	{
		.programs = "curl",
		.runs = "--engine=",
		.config = "-K: --config= -q --disable -x: --proxy= --preproxy= --proxy1.0= "
			  "--proxy-header= --socks4= --socks4a= --socks5= --socks5-hostname= "
			  "--resolve= --connect-to= --dns-servers= --doh-url= --interface= "
			  "--netrc-file= -n --netrc --netrc-optional -E: --cert= --key= --cacert= "
			  "--capath= --proxy-cert= --proxy-key= --login-options= --variable= "
			  "--expand-* --proto-default= --ipfs-gateway=",
		.files = "-o: --output= --output-dir= -O --remote-name --remote-name-all -J "
			 "--remote-header-name --create-dirs -D: --dump-header= -c: "
			 "--cookie-jar= -b: --cookie= --trace= --trace-ascii= --stderr= "
			 "--libcurl= --etag-save= --etag-compare= --hsts= --alt-svc= -T: "
			 "--upload-file= -F: --form= --data-urlencode= --url-query= -z: "
			 "--time-cond= --crlfile= --pubkey= -d@ -H@ -w@ @* *=@* *=<* -Q: "
			 "--quote= *%output* --ssl-sessions= "
			 /* file: also in pieces, which curl puts together: {fi}l[e-e]:///x */
			 "file:* *{file:* *,file:* *}file:* *\\file:* *}:* *}e:* *}le:* *}ile:* "
			 "*]:* *]e:* *]le:* *]ile:* *{:* *{e:* "
			 "*{le:* *{ile:* *,:* *,e:* *,le:* *,ile:* *\\:* *\\e:* *\\le:* *\\ile:*",
		.rights = "--unix-socket= --abstract-unix-socket=",
		.values = "AedHmrtuUXYyPwC",
		.fine = "--data --url",
	},
	{
		.programs = "wget",
		.runs = "-e: --execute= --use-askpass=",
		.config = "--config= --ca-certificate= --ca-directory= --certificate= "
			  "--private-key= --crl-file= -B: --base= --bind-address= --dns-servers=",
		.files = "-O: --output-document= -o: --output-file= -a: --append-output= "
			 "--post-file= --body-file= -i: --input-file= -P: --directory-prefix= "
			 "--warc-* --save-cookies= --load-cookies= --rejected-log= --hsts-file= "
			 "--input-metalink= --random-file= --egd-file= -x --force-directories "
			 "--cut-dirs= --backups=",
		.values = "tTwQlARDIXU",
	},
	{
		.programs = "nc ncat netcat",
		.runs = "-e: -c: --exec= --sh-exec= --lua-exec= -l --listen",
		.config = "-x: --proxy= -X: --proxy-auth=",
		.files = "-o: --output= --hex-dump= --ssl-key= --ssl-cert=",
		.rights = "-U --unixsock",
		.values = "ipPsTwqm",
	},
	{
		.programs = "nmap",
		.runs = "--script= --script-args= --script-args-file= --datadir= --servicedb= "
			"--versiondb= --interactive",
		.files = "-o: -i: --excludefile= --resume= --stylesheet= --append-output",
		.values = "pPgDSeT",
	},
	{
		.programs = "tcpdump",
		.runs = "-z:",
		.files = "-w: -r: -F: -V:",
		.values = "icsyETGCWZMQj",
	},
	{
		.programs = "tshark dumpcap",
		.runs = "-X: -z: --lua-script=",
		.files = "-w: -r: -K: -H: --export-* --temp-dir=",
		.config = "-C: -o: --global-profile",
		.values = "icsyYfTRdeE",
	},

	/* archives and files */
	{
		.programs = "tar bsdtar gtar",
		.runs = "-I: --use-compress-program= --to-command= --checkpoint-action= -F: "
			"--info-script= --new-volume-script= --rsh-command= --rmt-command= *:*",
		.files = "-C: --directory= --cd= -P --absolute-names --absolute-paths -T: "
			 "--files-from= -X: --exclude-from= -g: --listed-incremental= "
			 "--index-file= --volno-file= --one-top-level --transform= --xform= "
			 "--remove-files -U --unlink-first --recursive-unlink -h --dereference "
			 "--keep-directory-symlink @*",
		.values = "bfNV",
		.fine = "--file --exclude --checkpoint",
		.bare = true,
	},
	{
		.programs = "cpio",
		.runs = "--rsh-command= --rmt-command=",
		.files = "-F: --file= -I: -O: -E: --pattern-file= -D: --directory= "
			 "--absolute-filenames -p --pass-through *:*",
		.values = "HCM",
	},
	{
		.programs = "zip unzip zipinfo 7z 7za 7zr",
		.runs = "-T -TT= --test --unzip-command=",
		.files = "-O: --output-file= -b: --temp-path= -m --move -@ @* -d: -i@* -x@* -o* "
			 "-w* -so -si -sfx*",
	},
	{
		.programs = "find gfind bfs",
		.runs = "-exec -execdir -ok -okdir",
		.files = "-delete -fprint= -fprint0= -fprintf= -fls= -files0-from=",
	},
	{
		.programs = "fd fdfind",
		.runs = "-x -X --exec= --exec-batch=",
		.values = "edEtcjSo",
	},
	{
		.programs = "rg",
		.runs = "--pre= --hostname-bin= -z --search-zip",
		.files = "-f: --file= --ignore-file=",
		.values = "eABCmgtTjMrdE",
		.fine = "--ignore",
	},
	{
		.programs = "ag ack",
		.runs = "--pager= --ackrc=",
		.files = "-p: --path-to-ignore= --files-from=",
	},
	{
		.programs = "grep egrep fgrep zgrep",
		.files = "-f: --file= --exclude-from=",
		.values = "eABCmdD",
		.fine = "--exclude",
	},
	{
		.programs = "sort gsort",
		.runs = "--compress-program=",
		.files = "-o: --output= -T: --temporary-directory= --files0-from= --random-source=",
		.values = "ktS",
	},
	{
		.programs = "split csplit",
		.runs = "--filter=",
	},
	{
		.programs = "sed gsed",
		.runs = "-e: --expression= -f: --file=",
		.files = "-i --in-place",
		.values = "l",
	},
	{
		.programs = "jq yq gojq",
		.files = "-f: --from-file= -L: --rawfile= --slurpfile= --argfile= -i --inplace "
			 "--split-exp=",
	},
	{
		.programs = "man",
		.runs = "-P: --pager= -H --html -X --gxditview -T -Z --ditroff -p: "
			"--preprocessor= -l --local-file",
		.config = "-C: --config-file= -M: --manpath= -R: --recode= */*",
		.values = "LmseSrE",
	},
	{
		.programs = "bat batcat delta diff colordiff",
		.runs = "--pager= --map-syntax= cache --diff-program=",
		.config = "--config-dir= --cache-dir=",
		.files = "-X: --exclude-from= --from-file= --to-file=",
	},

	/* packages and builds */
	{
		.programs = "pip",
		.runs = "-e: --editable= --python= --config-settings= -C: --global-option= "
			"--build-option= --install-option= .* */* file:* *.whl *.zip *.tar.gz "
			"*.tgz *.tar.bz2",
		.config = "-i: --index-url= --extra-index-url= --pypi-url= -f: --find-links= "
			  "--trusted-host= --proxy= --cert= --client-cert= -c: --constraint= -r: "
			  "--requirement= --build-constraint= --keyring-provider= config *://* "
			  "git+* hg+* svn+* bzr+*",
		.files = "-t: --target= --prefix= --root= --log= --log-file= --cache-dir= --src= "
			 "-d: --dest= --destination-directory= -w: --wheel-dir= -b: --build= "
			 "--report=",
		.fine = "--pre",
	},
	{
		.programs = "uv",
		.runs = "run= x= tool>run= -e: --editable= -p: --python= --with-editable= .* "
			"*/* file:*",
		.config = "-i: --index-url= --extra-index-url= --default-index= --index= -f: "
			  "--find-links= -C: --config-setting= -r: --requirement= --requirements= "
			  "-c: --constraint= --directory= --project= --config-file= *://* git+*",
		.files = "-t: --target= --prefix= --cache-dir= -o: --output-file= --install-dir=",
		.fine = "--pre",
	},
	{
		.programs = "poetry pdm hatch pipenv",
		.runs = "run= shell self plugin use --python= -e: --editable=",
		.config = "-C: --directory= -P: --project= --source= --extra-pip-args= "
			  "--pypi-mirror= -i: --index= config source *://* git+*",
		.files = "-o: --output= -r: --requirements=",
	},
	{
		.programs = "conda mamba micromamba",
		.runs = "run= shell init activate",
		.config = "-c: --channel= --override-channels -f: --file= config --repodata-fn= "
			  "--rc-file= *://*",
		.files = "-p: --prefix= --root-prefix= /* ./* ../*",
	},
	{
		.programs = "bundle bundler gem",
		.runs = "exec= console open plugin gem -e -E: --env-shebang",
		.config = "config --gemfile= -s: --source= -p: --http-proxy= --config-file= "
			  "--clear-sources -P: --trust-policy=",
		.files = "-i: --install-dir= -n: --bindir= --path= --build-root= --target=",
	},
	{
		.programs = "nix nix-shell nix-env nix-build nixos-rebuild",
		.runs = "run= shell develop eval repl build fmt -c: --run= -E: --expr= -e: "
			"--impure -p: --packages= -i:",
		.config = "-I: --include= -f: --file= --option= --override-input= --store= "
			  "--builders= --argstr= --arg= --override-flake= --extra-*",
		.files = "-o: --out-link= --profile=",
	},
	{
		.programs = "mise asdf direnv rustup nvm pyenv rbenv",
		.runs = "exec= x= run= r= plugin plugins allow hook shell toolchain>link env",
		.config = "-C: --cd= config settings trust self",
	},
	{
		.programs = "npm",
		.runs = "exec= x= explore= run= run-script= rum= urn= init create innit edit "
			"-c: --call= --script-shell= --shell= --node-options= --git= --viewer= "
			"--browser= --editor= --onload-script= --init-module= --node-gyp= "
			"--python= --unsafe-perm --package= test tst start stop restart it "
			"install-test cit install-ci-test",
		.config = "-C: --prefix= --globalconfig= --userconfig= --registry= -reg --proxy= "
			  "--https-proxy= --noproxy= --cafile= --ca= --cert= --key= --certfile= "
			  "--keyfile= --location= --strict-ssl config set token login adduser "
			  "add-user set-script pkg --@* --//*",
		.files = "--cache= --logs-dir= --pack-destination= --tmp=",
		.values = "w",
		.fine = "i in ins inst insta instal install ci r s se l a add --global",
		.cut = true,
		.dashes = true,
	},
	{
		.programs = "yarn pnpm",
		.runs = "exec= dlx= run= run-script= node= create= x= -c "
			"--shell-mode --script-shell= --use-yarnrc= --use-node-version= "
			"--node-options= --pnpmfile= --global-pnpmfile= --ignore-pnpmfile "
			"workspace>run= workspace>exec= recursive>run= recursive>exec= "
			"multi>exec= m>exec=",
		.config = "--cwd= -C: --dir= --prefix= --registry= --userconfig= --globalconfig= "
			  "--proxy= --https-proxy= --cafile= npm>login",
		.files = "--modules-folder= --global-folder= --cache-folder= --link-folder= "
			 "--preferred-cache-folder= --store-dir= --virtual-store-dir= "
			 "--modules-dir= --lockfile-dir= --global-dir= --global-bin-dir= "
			 "--pack-destination= --mutex= -o: --out= --filename=",
		.fine = "--global",
		.dashes = true,
	},
	{
		.programs = "cargo",
		.runs = "--config= -Z: run= r= +* --git= --path= xtask *.json test t build b bench "
			"check c clippy doc d install rustc rustdoc fix",
		.config = "-C: --manifest-path= --registry= --index= --lockfile-path= login owner "
			  "config",
		.files = "--target-dir= --out-dir= --artifact-dir= --root=",
		.values = "pjF",
		.fine = "--target",
	},
	{
		.programs = "go",
		.runs = "-exec= -toolexec= -vettool= -compiler= -asmflags= -gcflags= "
			"-gccgoflags= -ldflags= run= generate tool= test build install vet get",
		.config = "-modfile= -overlay= -C= -pkgdir= -workfile= -mod= env>-w env>-u",
		.files = "-o= -coverprofile= -cpuprofile= -memprofile= -blockprofile= "
			 "-mutexprofile= -trace= -outputdir= -test.* --test.*",
	},
	{
		.programs = "pylint flake8",
		.runs = "--init-hook= --load-plugins=",
		.config = "--rcfile= --config= --append-config=",
		.files = "--output= --output-file=",
	},
	{
		.programs = "eslint",
		.runs = "--rulesdir= --resolve-plugins-relative-to= --plugin= --parser= -f: "
			"--format=",
		.config = "-c: --config=",
		.files = "-o: --output-file= --cache-file= --cache-location= --fix",
	},
	{
		.programs = "mysqldump mysqladmin mariadb-dump",
		.runs = "--plugin-dir=",
		.config = "--defaults-file= --defaults-extra-file= -h: --host= -S: --socket=",
		.files = "-r: --result-file= -T: --tab=",
	},
	{
		.programs = "pg_dump pg_dumpall pg_restore",
		.config = "-d: --dbname= -h: --host= -p: --port= -U: --username=",
		.files = "-f: --file= -L: --use-list=",
	},
	{
		.programs = "skopeo",
		.config = "--policy= --registries.d= --registries-conf= --authfile= "
			  "--src-authfile= --dest-authfile= --src-daemon-host= "
			  "--dest-daemon-host=",
		.files = "dir:* oci:* oci-archive:* docker-archive:* containers-storage:* "
			 "--digestfile=",
	},
	{
		.programs = "dig delv nslookup",
		.config = "-k: -y: @*",
		.files = "-f:",
	},
	{
		.programs = "twine",
		.config = "--repository-url= -r: --repository= --config-file=",
	},
	{
		.programs = "gcc g++ cc c++ clang clang++ cpp ld gold lld as ar javac rustc",
		.runs = "-wrapper -specs* --specs* -fplugin* -load* -B* -Xclang -plugin* "
			"-processor* -J* -Clinker* -C= -fuse-ld* -Xlinker -Wl,* "
			"-dynamic-linker*",
		.config = "@* --config* --sysroot* -isysroot -T=",
		.files = "-o* --output* -include* -imacros -MF* -d* --dump*",
	},
	{
		.programs = "make gmake bmake",
		.runs = "--eval= -E:",
		.config = "-f: --file= --makefile= -C: --directory= -I: --include-dir= -e "
			  "--environment-overrides",
		.values = "lWo",
		.assign = true,
	},
	{
		.programs = "ninja samu just rake task ant scons meson invoke fab",
		.runs = "-t: --shell= --shell-arg= --chooser= -c: --command= -e: --execute= -p: "
			"-E: -r: --require= -lib -logger -listener",
		.config = "-f: --file= --justfile= --rakefile= --taskfile= -C: -d: --dir= "
			  "--directory= --working-directory= --set= --dotenv-path= "
			  "--dotenv-filename= -buildfile= -D* --native-file= --cross-file= -I: "
			  "--libdir=",
		.assign = true,
	},
	{
		.programs = "gradle gradlew mvn mvnw sbt lein",
		.runs = "-I: --init-script= --include-build= -D* -P* --define exec:* *:exec",
		.config = "-b: --build-file= -c: --settings-file= -p: --project-dir= -g: "
			  "--gradle-user-home= -f: --file= -s: --settings= -gs --global-settings= "
			  "-t: --toolchains= --project-cache-dir=",
		.assign = true,
	},
	{
		.programs = "cmake ctest cpack",
		.runs = "-E -P -C: -D: -S: -T: -U: --toolchain= --preset= --build-and-test "
			"--build-makeprogram= --test-command --open --debugger -G:",
		.files = "-B: --install-prefix= --prefix= --graphviz= --trace-redirect= "
			 "--output-log= --output-junit= -O: --profiling-output=",
		.values = "jRA",
		.fine = "--build --install --trace",
	},
	{
		.programs = "bazel bazelisk buck buck2",
		.runs = "run= --run_under= --workspace_status_command= --override_repository= "
			"--override_module= --host_jvm_args= --shell_executable=",
		.config = "--bazelrc= --output_base= --output_user_root= --package_path= "
			  "--repo_env= --action_env=",
	},
	{
		.programs = "dotnet",
		.runs = "run exec= fsi tool msbuild --project= -p:* /p:* --property= "
			"--additionalprobingpath= --depsfile= --runtimeconfig= @* -c= *.dll "
			"*.csx",
		.config = "--source= -s: --configfile= nuget",
		.files = "-o: --output= --artifacts-path=",
	},
	{
		.programs = "pytest py.test",
		.runs = "-p: -c: --rootdir= --confcutdir= -o: --override-ini= --pdbcls= "
			"--pyargs --debug",
		.files = "--basetemp= --junit-xml= --junitxml= --log-file= --pastebin= "
			 "--cov-config= --cov-report= @*",
		.values = "kmnWr",
		.fine = "--cov --pdb",
	},
	{
		.programs = "apt apt-get apt-cache apt-mark aptitude apt-config",
		.runs = "-o: --option= *.deb *.changes *.dsc ./* ../* /* source>-b --build "
			"--compile --solver= --planner=",
		.config = "-c: --config-file= --allow-unauthenticated "
			  "--allow-insecure-repositories --force-yes edit-sources --with-source=",
		.values = "t",
	},
	{
		.programs = "dpkg",
		.runs = "-i --install --unpack -A --record-avail --configure --triggers-only "
			"--pre-invoke= --post-invoke= --status-logger= --force-*",
		.config = "--root= --admindir= --instdir= -R --recursive",
		.files = "-b --build -x --extract -X --vextract -e --control --raw-extract --log=",
	},
	{
		.programs = "dpkg-deb",
		.files = "-b --build -x --extract -X --vextract -e --control -R --raw-extract",
	},
	{
		.programs = "rpm",
		.runs = "-i --install -U --upgrade -F --freshen -E: --eval= --pipe= --load= "
			"--rcfile= --macros= -D: --define=",
		.config = "--root= --dbpath= --import --nosignature",
	},
	{
		.programs = "yum dnf zypper",
		.runs = "*.rpm ./* ../* /* file:* shell",
		.config = "-c: --config= --installroot= --repofrompath= --setopt= --nogpgcheck "
			  "--no-gpg-checks --plus-repo= -p: --root= -R: *://* config-manager "
			  "addrepo",
	},
	{
		.programs = "pacman",
		.runs = "-U --upgrade --hookdir= *.pkg.tar*",
		.config = "-b: --dbpath= -r: --root= --sysroot= --config= --gpgdir= --cachedir= "
			  "--overwrite=",
	},
	{
		.programs = "apk",
		.runs = "*.apk",
		.config = "--allow-untrusted -X: --repository= -p: --root= --repositories-file= "
			  "--keys-dir= --arch=",
	},
	{
		.programs = "brew port",
		.runs = "sh irb ruby edit extract tap bundle create developer exec= x= alias prof "
			"install-bundler-gems *.rb --file=",
		.config = "*/*",
	},

	/* containers and clusters */
	{
		.programs = "docker podman nerdctl",
		.runs = "--entrypoint= --runtime= plugin --post-renderer= unshare= generate "
			"play kube machine system>service compose stack>deploy stack>up "
			"buildx>bake quadlet extension mcp --hooks-dir= --conmon= "
			"--network-cmd-path= --cni-path= --runtime-flag= --module= "
			"--new-runtime=",
		.config = ">-H: --host= >-c: --context= --config= --tlscacert= --tlscert= "
			  "--tlskey= --connection= --url= --identity= --remote --root= --runroot= "
			  "--storage-opt= context compose>-f: --file= --project-directory= "
			  "stack>-c: --compose-file=",
		.files = "cp container>cp compose>cp --env-file= --label-file= --cidfile= "
			 "--iidfile= --metadata-file= --secret= --ssh= --output= save>-o: "
			 "export>-o: load>-i: image>-o: image>-i: container>-o: build>-o: "
			 "buildx>-o: --authfile= volume>-o: config>create secret>create build>/* "
			 "build>../* buildx>/* buildx>../* image>/* image>../* --build-context= "
			 "--log-driver= --log-opt= --pidfile= --conmon-pidfile= "
			 "--checkpoint-dir= --export= --import=",
		.rights = "run>-v: create>-v: container>-v: compose>-v build>-v: pod>-v: "
			  "--volume= --mount= --env-host --allow= "
			  "--privileged --pid= --net= --network= --device= --device-cgroup-rule= "
			  "--cap-add= --security-opt= --userns= --ipc= --uts= --cgroupns= "
			  "--cgroup-parent= --volumes-from= --volume-driver= --sysctl= --gpus= "
			  "--group-add= --rootfs --systemd= --use-api-socket",
		.values = "l run>aehmpuwc create>aehmpuwc container>aehmpuwc",
		.flags = "--debug",
		.fine = "--load --env --label --user --tls --ip --all",
	},
	{
		.programs = "docker-compose podman-compose",
		.config = "-f: --file= -H: --host= -c: --context= --env-file= --project-directory=",
		.rights = "run>-v: --volume= --privileged --cap-add=",
		.values = "p",
	},
	{
		.programs = "kubectl oc k3s microk8s",
		.runs = "exec== run debug proxy port-forward edit plugin attach kubectl "
			"--enable-exec --enable-alpha-plugins rsh=",
		.config = "--kubeconfig= -s: --server= --token= --as= --as-group= --as-uid= "
			  "--context= --cluster= --user= --username= --password= "
			  "--client-certificate= --client-key= --certificate-authority= "
			  "--tls-server-name= --insecure-skip-tls-verify --raw= config login "
			  "--proxy-url= --kuberc=",
		.files = "cp --cache-dir= --profile-output= --log-file= --log-dir= --from-file= "
			 "--from-env-file= --output-directory= *-file=* get>-f: get>--filename= "
			 "get>-k: get>--kustomize= describe>-f: describe>--filename= "
			 "describe>-k: describe>--kustomize=",
		.values = "nlocL",
		.fine = "--client --output --profile",
	},
	{
		.programs = "helm",
		.runs = "--post-renderer= --post-renderer-args= plugin",
		.config = "--kubeconfig= --kube-context= --kube-token= --kube-apiserver= "
			  "--kube-as-user= --repo= --repository-config= --registry-config= "
			  "--ca-file= --cert-file= --key-file= --keyring=",
		.files = "--set-file= -d: --destination= --output-dir= --repository-cache= "
			 "--untardir=",
		.values = "nfo",
		.fine = "--set --output",
	},
	{
		.programs = "terraform tofu terragrunt packer",
		.runs = "-plugin-dir= -from-module= console= --terragrunt-tfpath= -on-error=",
		.config = "-chdir= -var-file= -backend-config= -state= -backup= login logout "
			  "--terragrunt-config= --terragrunt-source= --terragrunt-working-dir=",
		.files = "-out= -state-out= -config-dir= -generate-config-out=",
	},
	{
		.programs = "ansible-playbook ansible-pull ansible-galaxy ansible-vault",
		.runs = "-e: --extra-vars= -i: --inventory= --inventory-file= -M: "
			"--module-path= --ssh-common-args= --ssh-extra-args= --sftp-extra-args= "
			"--scp-extra-args= -c: --connection= --playbook-dir=",
		.config = "--private-key= --key-file= --vault-password-file= --vault-id= -u: "
			  "--user= --become-user= --become-method= -s: --server=",
		.values = "ltT",
		.fine = "--become",
	},
	{
		.programs = "aws gcloud gsutil az doctl",
		.runs = "ssm ecs>execute-command compute>ssh compute>scp --start-ssh configure "
			"config --cli-input-json= --cli-input-yaml= --ssh-flag= alias rest "
			"compute>start-iap-tunnel beta>ssh beta>scp beta>start-iap-tunnel "
			"alpha>ssh alpha>scp",
		.config = "--endpoint-url= --endpoint= --ca-bundle= --no-verify-ssl --profile= "
			  "--configuration= --account= --subscription= "
			  "--impersonate-service-account= --flags-file= --access-token-file= "
			  "--credential-file-override= auth login --access-token= --api-url=",
		.files = "file:* fileb:* --log-http --outfile= @*",
	},
	{
		.programs = "certbot restic borg logrotate nginx",
		.runs = "--pre-hook= --post-hook= --deploy-hook= --renew-hook= "
			"--manual-auth-hook= --manual-cleanup-hook= --password-command= --rsh= "
			"-o: --option= -g:",
		.config = "-c: --config= --config-dir= -r: --repo= --repository-file= -p: "
			  "--password-file= -s: --state= --server=",
		.files = "--logs-dir= --work-dir= -l: --log= --target= -t: --cache-dir=",
	},

	/* the system */
	{
		.programs = "systemctl",
		.runs = "edit link set-environment import-environment set-property enable>*/* "
			"reenable>*/* preset>*/* start>*/* mask>*/* bind mount-image",
		.config = "-H: --host= -M: --machine= --root= --image= --image-policy= switch-root",
		.values = "tpPnos",
		.flags = "--no-pager --plain --all --quiet --user --system --now --no-block "
			 "--failed --full --no-legend --value --recursive",
	},
	{
		.programs = "journalctl",
		.config = "-M: --machine= -D: --directory= --file= -i: --root= --image= "
			  "--image-policy= --namespace=",
		.files = "--vacuum-size= --vacuum-files= --vacuum-time= --rotate --flush "
			 "--relinquish-var --smart-relinquish-var --setup-keys --cursor-file= "
			 "--update-catalog --sync",
		.values = "ubpSUgtTncFo",
		.fine = "--cursor",
	},
	{
		.programs = "loginctl hostnamectl timedatectl localectl networkctl resolvectl "
			    "coredumpctl",
		.runs = "debug gdb --debugger= -A: edit",
		.config = "-M: --machine= -H: --host= -D: --directory= --file= --root= --image=",
		.files = "-o: --output=",
	},
	{
		.programs = "ip tc bridge",
		.runs = "netns>exec== vrf>exec== -batch= -force",
		.rights = "-netns= netns>attach netns>set",
		.flags = "-4 -6 -M -br -brief -c -d -h -j -json -o -p -pretty -r -s -t",
		.cut = true,
	},
	{
		.programs =
			"iptables ip6tables iptables-restore ip6tables-restore ebtables arptables",
		.runs = "-M: --modprobe=",
	},
	{
		.programs = "nft",
		.files = "-f: --file= -I: --includepath= -i --interactive",
	},
	{
		.programs = "mount umount",
		.runs = "-t: --types= -O:",
		.rights = "-o: --options= -B --bind -R --rbind -M --move -N: --namespace= "
			  "--make-shared --make-rshared -T: --fstab= --target= --source= "
			  "--options-source=",
		.values = "LU",
	},
	{
		.programs = "date",
		.files = "-s: --set= -f: --file=",
		.values = "dIr",
	},
	{
		.programs = "hostname",
		.files = "-F: --file= -b --boot",
	},
	{
		.programs = "gpg gpg2 gpgv gpgsm",
		.runs = "--exec-path= --photo-viewer= --show-photos --agent-program= "
			"--dirmngr-program= --pinentry-program= --keyboxd-program= "
			"--gpgconf-program= --load-extension=",
		.config = "--options= --homedir= --keyserver= --keyserver-options= --keyring= "
			  "--secret-keyring= --primary-keyring= --trustdb-name= "
			  "--auto-key-locate= --export-secret-keys --export-secret-subkeys "
			  "--export-ssh-key --gen-revoke --edit-key",
		.files = "-o: --output= --log-file= --logger-file= --status-file= "
			 "--attribute-file= --command-file= --command-fd= --passphrase-file= "
			 "--passphrase-fd= --set-filename= --output-directory=",
		.values = "urNR",
		.fine = "--export --edit",
	},
	{
		.programs = "openssl",
		.runs = "engine -engine= -engine_impl -provider= -provider-path= -propquery= "
			"s_client s_server",
		.config = "-config= -cmd= -proxy= -extfile= -sect_config=",
		.files = "-out= -keyout= -writerand= -sess_out= -keylogfile= -passin= -passout= "
			 "-pass= -outdir= -certsout= -CAcreateserial",
	},

	/* documents and media */
	{
		.programs = "tex latex pdftex pdflatex xelatex lualatex luatex xetex latexmk",
		.runs = "-shell-escape -enable-write18 -e= -r= -pdflatex= -latex= -lua= \\*",
		.files = "-output-directory= -jobname= -outdir= -auxdir= -aux-directory= "
			 "-cnf-line=",
		.cut = true,
	},
	{
		.programs = "pandoc",
		.runs = "-F: --filter= -L: --lua-filter= --pdf-engine= --pdf-engine-opt= -t: "
			"--to= -w: --write= -f: --from= -r: --read= lua server",
		.config = "-d: --defaults= --data-dir= --syntax-definition=",
		.files = "-o: --output= --extract-media= --template= -A: -B: -H: "
			 "--include-in-header= --include-before-body= --include-after-body= "
			 "--metadata-file= --log= --resource-path= --reference-doc=",
		.values = "VM",
	},
	{
		.programs = "convert magick mogrify identify composite montage",
		.runs = "msl:* mvg:* ephemeral:* delegate:* epi:* epsi:* ps:* pdf:* |* -script= "
			"-define= -process=",
		.files = "@* text:* label:@* caption:@* -write= url:* http:*",
	},
	{
		.programs = "ffmpeg ffprobe ffplay",
		.config = "concat:* subfile:* data:* -protocol_whitelist= -f= -safe= "
			  "-init_hw_device=",
		.files = "-filter_script= -filter_complex_script= -filter_complex= -lavfi= -vf= "
			 "-af= -filter* -report -progress= -passlogfile= -dump_attachment* "
			 "-attach= -vstats_file= -sdp_file= -pre= -vpre= -apre= -fpre= file:* "
			 "pipe:*",
	},
	{0},
};
