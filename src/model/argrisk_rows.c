/* SPDX-License-Identifier: Apache-2.0 */

/* Long because it is a table: one row a program, in groups of a kind. */
#include "model/argrisk_rows.h"

/* Short on purpose: tools that have no row of their own have to stay usable. */
const struct argrisk_row argrisk_rows_any = {
	.risk =
		{
			[ARGRISK_RUNS] =
				"--exec= --execute= --eval= --command= --shell= --rsh= --pager= "
				"--editor= --plugin= --load= --init-file= --rcfile=",
			[ARGRISK_CONFIG] = "--config= --config-file=",
		},
	.fine = "--init --edit --page",
};

const struct argrisk_row argrisk_rows[] = {
	/* version control */
	{
		.programs = "git",
		.risk =
			{
				[ARGRISK_RUNS] =
					">-c: >-p --paginate --config-env= --exec-path= --exec= "
					"--upload-pack= --receive-pack= clone>-u: clone>-c: "
					"--config= --template= --open-files-in-pager grep>-O "
					"--ext-diff --textconv rebase>-x: difftool>-x: --extcmd= "
					"--tool= --smtp-server= --sendmail-cmd= --to-cmd= "
					"--cc-cmd= --header-cmd= bisect>run= submodule>foreach= "
					"filter-branch difftool mergetool instaweb daemon shell "
					"hook cvsimport cvsserver p4 svn send-email fast-import "
					"web--browse gui citool lfs>install lfs>update "
					"clone>*::* fetch>*::* pull>*::* push>*::* ls-remote>*::* "
					"remote>*::* submodule>*::* archive>*::* bundle>*::* "
					"push>/* push>./* push>../* push>file:* *://-* *@-*",
				[ARGRISK_CONFIG] =
					">-C: --git-dir= --work-tree= --namespace= --super-prefix= "
					"--attr-source= --separate-git-dir= --reference= "
					"--reference-if-able= config credential credential-cache "
					"credential-store",
				[ARGRISK_FILES] =
					"--output= --output-directory= archive>-o: format-patch>-o: "
					"--contents= --no-index --pathspec-from-file= "
					"--exclude-from= commit>-F: commit>--file= commit>-t: "
					"tag>-F: tag>--file= merge>-F: merge>--file= notes>-F: "
					"notes>--file= grep>-f: --unsafe-paths "
					"checkout-index>--prefix=",
			},
		.values = "commit>mCcSu tag>mun merge>mXsS clone>obj push>o rebase>sXCS "
			  "grep>emABC format-patch>v notes>m",
		.flags = "--no-pager --bare --no-replace-objects --literal-pathspecs "
			 "--no-optional-locks",
	},
	{
		.programs = "git-lfs",
		.risk =
			{
				[ARGRISK_RUNS] = "install update standalone-file *::* *://-*",
				[ARGRISK_FILES] = "-I: --include-from=",
			},
	},
	{
		.programs = "svn svnadmin svnsync svnmucc",
		.risk =
			{
				[ARGRISK_RUNS] = "--config-option= --diff-cmd= --diff3-cmd= "
						 "--editor-cmd= *+ssh://* *tunnel*",
				[ARGRISK_CONFIG] = "--config-dir=",
				[ARGRISK_FILES] = "-F: --file= --targets=",
			},
		.values = "mrcN",
	},
	{
		.programs = "hg chg",
		.risk =
			{
				[ARGRISK_RUNS] = "--config= -e: --ssh= --remotecmd= --debugger "
						 "extdiff serve ssh://-* --pager= --tool= -t:",
				[ARGRISK_CONFIG] = "--cwd= -R: --repository= config",
				[ARGRISK_FILES] = "-l: --logfile= -o: --output= bundle archive",
			},
		.values = "mr",
		.fine = "co",
		.cut = true,
	},
	{
		.programs = "gh glab hub",
		.risk =
			{
				[ARGRISK_RUNS] =
					"alias extension extensions ext codespace cs --editor -e "
					"--upload-pack= repo>-c: repo>-u: repo>*::*",
				[ARGRISK_CONFIG] =
					"api auth config secret variable ssh-key gpg-key "
					"--hostname=",
				[ARGRISK_FILES] =
					"-F: --body-file= --notes-file= -T: --template= "
					"--recover= --input= run>-D: --dir= release>-D: release>-O: "
					"--output= --env-file=",
			},
		.values = "RBbHtqL",
		.fine = "--body --notes --env",
	},

	/* remote copies */
	{
		.programs = "scp sftp",
		.risk =
			{
				[ARGRISK_RUNS] = "-o: -S: -J: -D: -X: -s: -F:",
				[ARGRISK_CONFIG] = "-i:",
				[ARGRISK_FILES] = "-b:",
			},
		.values = "Pcl",
	},
	{
		.programs = "ssh-copy-id ssh-keygen ssh-add ssh-keyscan",
		.risk =
			{
				[ARGRISK_RUNS] = "-o: -D: -w: -s: -S: -O:",
				[ARGRISK_FILES] = "-f: -i: -t: -k: -M: -I:",
			},
	},
	{
		.programs = "rsync",
		.risk =
			{
				[ARGRISK_RUNS] = "-e: --rsh= --rsync-path= -M: --remote-option= "
						 "--daemon --early-input=",
				[ARGRISK_CONFIG] = "--config= --dparam= --password-file=",
				[ARGRISK_FILES] =
					"-T: --temp-dir= --log-file= --write-batch= "
					"--only-write-batch= --read-batch= --partial-dir= "
					"--backup-dir= --compare-dest= --copy-dest= --link-dest= "
					"--files-from= --exclude-from= --include-from= -f: "
					"--filter= --copy-devices --write-devices",
			},
		.values = "B",
		.fine = "--backup --partial --exclude --include",
	},
	{
		.programs = "rclone",
		.risk =
			{
				[ARGRISK_RUNS] = "--password-command= --sftp-ssh= --rc rcd serve "
						 "mount :*",
				[ARGRISK_CONFIG] = "--config= config authorize",
				[ARGRISK_FILES] = "--log-file= --files-from= --cache-dir= --temp-dir= "
						  "--filter-from= --include-from= --exclude-from=",
			},
	},

	/* transfers over the network */
	{
		.programs = "curl",
		.risk =
			{
				[ARGRISK_RUNS] = "--engine=",
				[ARGRISK_CONFIG] =
					"-K: --config= -q --disable -x: --proxy= --preproxy= "
					"--proxy-header= --socks4= --socks4a= --socks5= "
					"--socks5-hostname= --resolve= --connect-to= "
					"--dns-servers= --doh-url= --interface= --netrc-file= -n "
					"--netrc --netrc-optional -E: --cert= --key= --cacert= "
					"--capath= --proxy-cert= --proxy-key= --login-options= "
					"--variable= --expand-*",
				[ARGRISK_FILES] =
					"-o: --output= --output-dir= -O --remote-name "
					"--remote-name-all -J --remote-header-name --create-dirs "
					"-D: --dump-header= -c: --cookie-jar= -b: --cookie= "
					"--trace= --trace-ascii= --stderr= --libcurl= --etag-save= "
					"--etag-compare= --hsts= --alt-svc= -T: --upload-file= "
					"-F: --form= --data-urlencode= --url-query= -z: "
					"--time-cond= --crlfile= --pubkey= -d@ -H@ -w@ @* *=@* *=<* "
					"file:* -Q: --quote=",
				[ARGRISK_RIGHTS] = "--unix-socket= --abstract-unix-socket=",
			},
		.values = "AedHmrtuUXYyPwC",
		.fine = "--data --url",
	},
	{
		.programs = "wget",
		.risk =
			{
				[ARGRISK_RUNS] = "-e: --execute= --use-askpass=",
				[ARGRISK_CONFIG] =
					"--config= --ca-certificate= --ca-directory= "
					"--certificate= --private-key= --crl-file= -B: --base= "
					"--bind-address= --dns-servers=",
				[ARGRISK_FILES] =
					"-O: --output-document= -o: --output-file= -a: "
					"--append-output= --post-file= --body-file= -i: "
					"--input-file= -P: --directory-prefix= --warc-* "
					"--save-cookies= --load-cookies= --rejected-log= "
					"--hsts-file= --input-metalink= --random-file= --egd-file= "
					"-x --force-directories --cut-dirs= --backups=",
			},
		.values = "tTwQlARDIXU",
	},
	{
		.programs = "nc ncat netcat",
		.risk =
			{
				[ARGRISK_RUNS] = "-e: -c: --exec= --sh-exec= --lua-exec= -l "
						 "--listen",
				[ARGRISK_CONFIG] = "-x: --proxy= -X: --proxy-auth=",
				[ARGRISK_FILES] =
					"-o: --output= --hex-dump= --ssl-key= --ssl-cert=",
				[ARGRISK_RIGHTS] = "-U --unixsock",
			},
		.values = "ipPsTwqm",
	},
	{
		.programs = "nmap",
		.risk =
			{
				[ARGRISK_RUNS] = "--script= --script-args= --script-args-file= "
						 "--datadir= --servicedb= --versiondb= --interactive",
				[ARGRISK_FILES] = "-o: -i: --excludefile= --resume= --stylesheet= "
						  "--append-output",
			},
		.values = "pPgDSeT",
	},
	{
		.programs = "tcpdump",
		.risk =
			{
				[ARGRISK_RUNS] = "-z:",
				[ARGRISK_FILES] = "-w: -r: -F: -V:",
			},
		.values = "icsyETDGCWZMQj",
	},
	{
		.programs = "tshark dumpcap",
		.risk =
			{
				[ARGRISK_RUNS] = "-X: -z: --lua-script=",
				[ARGRISK_FILES] = "-w: -r: -K: -H: --export-* --temp-dir=",
				[ARGRISK_CONFIG] = "-C: -o: --global-profile",
			},
		.values = "icsyYfTRdeE",
	},

	/* archives and files */
	{
		.programs = "tar bsdtar gtar",
		.risk =
			{
				[ARGRISK_RUNS] =
					"-I: --use-compress-program= --to-command= "
					"--checkpoint-action= -F: --info-script= "
					"--new-volume-script= --rsh-command= --rmt-command= *:*",
				[ARGRISK_FILES] =
					"-C: --directory= --cd= -P --absolute-names "
					"--absolute-paths -T: --files-from= -X: --exclude-from= "
					"-g: --listed-incremental= --index-file= --volno-file= "
					"--one-top-level --transform= --xform= --remove-files "
					"-U --unlink-first --recursive-unlink -h --dereference "
					"--keep-directory-symlink @*",
			},
		.values = "bfHLNV",
		.fine = "--file --exclude --checkpoint",
		.bare = true,
	},
	{
		.programs = "cpio",
		.risk =
			{
				[ARGRISK_RUNS] = "--rsh-command= --rmt-command=",
				[ARGRISK_FILES] = "-F: --file= -I: -O: -E: --pattern-file= -D: "
						  "--directory= --absolute-filenames -p "
						  "--pass-through *:*",
			},
		.values = "HCM",
	},
	{
		.programs = "zip unzip zipinfo 7z 7za 7zr",
		.risk =
			{
				[ARGRISK_RUNS] = "-T -TT= --test --unzip-command=",
				[ARGRISK_FILES] =
					"-O: --output-file= -b: --temp-path= -m --move -@ @* -d: "
					"-i@* -x@* -o* -w* -so -si -sfx*",
			},
	},
	{
		.programs = "find gfind bfs",
		.risk =
			{
				[ARGRISK_RUNS] = "-exec -execdir -ok -okdir",
				[ARGRISK_FILES] = "-delete -fprint= -fprint0= -fprintf= -fls= "
						  "-files0-from=",
			},
	},
	{
		.programs = "fd fdfind",
		.risk = {[ARGRISK_RUNS] = "-x -X --exec= --exec-batch="},
		.values = "edEtcjSo",
	},
	{
		.programs = "rg",
		.risk =
			{
				[ARGRISK_RUNS] = "--pre= --hostname-bin= -z --search-zip",
				[ARGRISK_FILES] = "-f: --file= --ignore-file=",
			},
		.values = "eABCmgtTjMrdE",
		.fine = "--ignore",
	},
	{
		.programs = "ag ack",
		.risk =
			{
				[ARGRISK_RUNS] = "--pager= --ackrc=",
				[ARGRISK_FILES] = "-p: --path-to-ignore= --files-from=",
			},
	},
	{
		.programs = "grep egrep fgrep zgrep",
		.risk = {[ARGRISK_FILES] = "-f: --file= --exclude-from="},
		.values = "eABCmdD",
		.fine = "--exclude",
	},
	{
		.programs = "sort gsort",
		.risk =
			{
				[ARGRISK_RUNS] = "--compress-program=",
				[ARGRISK_FILES] =
					"-o: --output= -T: --temporary-directory= --files0-from= "
					"--random-source=",
			},
		.values = "ktS",
	},
	{
		.programs = "split csplit",
		.risk = {[ARGRISK_RUNS] = "--filter="},
	},
	{
		.programs = "sed gsed",
		.risk =
			{
				[ARGRISK_RUNS] = "-e: --expression= -f: --file=",
				[ARGRISK_FILES] = "-i --in-place",
			},
		.values = "l",
	},
	{
		.programs = "jq yq gojq",
		.risk = {[ARGRISK_FILES] = "-f: --from-file= -L: --rawfile= --slurpfile= "
					   "--argfile= -i --inplace --split-exp="},
	},
	{
		.programs = "man",
		.risk =
			{
				[ARGRISK_RUNS] =
					"-P: --pager= -H --html -X --gxditview -T -Z --ditroff "
					"-p: --preprocessor= -l --local-file",
				[ARGRISK_CONFIG] = "-C: --config-file= -M: --manpath= -R: --recode= "
						   "*/*",
			},
		.values = "LmseSrEoK",
	},
	{
		.programs = "bat batcat delta diff colordiff",
		.risk =
			{
				[ARGRISK_RUNS] = "--pager= --map-syntax= cache --diff-program=",
				[ARGRISK_CONFIG] = "--config-dir= --cache-dir=",
				[ARGRISK_FILES] = "-X: --exclude-from= --from-file= --to-file=",
			},
	},

	/* packages and builds */
	{
		.programs = "pip",
		.risk =
			{
				[ARGRISK_RUNS] = "-e: --editable= --python= --config-settings= "
						 "-C: --global-option= --build-option= "
						 "--install-option= ./* ../* /* file:*",
				[ARGRISK_CONFIG] =
					"-i: --index-url= --extra-index-url= --pypi-url= -f: "
					"--find-links= --trusted-host= --proxy= --cert= "
					"--client-cert= -c: --constraint= -r: --requirement= "
					"--build-constraint= --keyring-provider= config *://* "
					"git+* hg+* svn+* bzr+*",
				[ARGRISK_FILES] =
					"-t: --target= --prefix= --root= --log= --log-file= "
					"--cache-dir= --src= -d: --dest= --destination-directory= "
					"-w: --wheel-dir= -b: --build= --report=",
			},
		.fine = "--pre",
	},
	{
		.programs = "uv",
		.risk =
			{
				[ARGRISK_RUNS] = "run= x= tool>run= -e: --editable= -p: --python= "
						 "--with-editable= ./* ../* /* file:*",
				[ARGRISK_CONFIG] =
					"-i: --index-url= --extra-index-url= --default-index= "
					"--index= -f: --find-links= -C: --config-setting= -r: "
					"--requirement= --requirements= -c: --constraint= "
					"--directory= --project= --config-file= *://* git+*",
				[ARGRISK_FILES] = "-t: --target= --prefix= --cache-dir= -o: "
						  "--output-file= --install-dir=",
			},
		.fine = "--pre",
	},
	{
		.programs = "poetry pdm hatch pipenv",
		.risk =
			{
				[ARGRISK_RUNS] = "run= shell self plugin use --python= -e: --editable=",
				[ARGRISK_CONFIG] =
					"-C: --directory= -P: --project= --source= "
					"--extra-pip-args= --pypi-mirror= -i: --index= config source "
					"*://* git+*",
				[ARGRISK_FILES] = "-o: --output= -r: --requirements=",
			},
	},
	{
		.programs = "conda mamba micromamba",
		.risk =
			{
				[ARGRISK_RUNS] = "run= shell init activate",
				[ARGRISK_CONFIG] =
					"-c: --channel= --override-channels -f: --file= config "
					"--repodata-fn= --rc-file= *://*",
				[ARGRISK_FILES] = "-p: --prefix= --root-prefix= /* ./* ../*",
			},
	},
	{
		.programs = "bundle bundler gem",
		.risk =
			{
				[ARGRISK_RUNS] = "exec= console open plugin gem -e -E: --env-shebang",
				[ARGRISK_CONFIG] =
					"config --gemfile= -s: --source= -p: --http-proxy= "
					"--config-file= --clear-sources -P: --trust-policy=",
				[ARGRISK_FILES] = "-i: --install-dir= -n: --bindir= --path= "
						  "--build-root= --target=",
			},
	},
	{
		.programs = "nix nix-shell nix-env nix-build nixos-rebuild",
		.risk =
			{
				[ARGRISK_RUNS] =
					"run= shell develop eval repl build fmt -c: --run= -E: "
					"--expr= -e: --impure -p: --packages= -i:",
				[ARGRISK_CONFIG] = "-I: --include= -f: --file= --option= "
						   "--override-input= --store= --builders= --argstr= "
						   "--arg= --override-flake= --extra-*",
				[ARGRISK_FILES] = "-o: --out-link= --profile=",
			},
	},
	{
		.programs = "mise asdf direnv rustup nvm pyenv rbenv",
		.risk =
			{
				[ARGRISK_RUNS] = "exec= x= run= r= plugin plugins allow hook shell "
						 "toolchain>link env",
				[ARGRISK_CONFIG] = "-C: --cd= config settings trust self",
			},
	},
	{
		.programs = "npm",
		.risk =
			{
				[ARGRISK_RUNS] =
					"exec= x= explore= run= run-script= rum= urn= init create "
					"innit edit -c: --call= --script-shell= --shell= "
					"--node-options= --git= --viewer= --browser= --editor= "
					"--onload-script= --init-module= --node-gyp= --python= "
					"--unsafe-perm --package=",
				[ARGRISK_CONFIG] =
					"-C: --prefix= --globalconfig= --userconfig= --registry= "
					"-reg --proxy= --https-proxy= --noproxy= --cafile= --ca= "
					"--cert= --key= --certfile= --keyfile= --location= "
					"--strict-ssl config set token login adduser add-user "
					"set-script pkg --@* --//*",
				[ARGRISK_FILES] = "--cache= --logs-dir= --pack-destination= --tmp=",
			},
		.values = "w",
		.fine = "i in r s se l a add --global",
		.cut = true,
		.dashes = true,
	},
	{
		.programs = "yarn pnpm corepack",
		.risk =
			{
				[ARGRISK_RUNS] =
					"exec= dlx= run= run-script= node= create= init x= plugin "
					"use -c --shell-mode --script-shell= --use-yarnrc= "
					"--use-node-version= --node-options= --pnpmfile= "
					"--global-pnpmfile= --ignore-pnpmfile",
				[ARGRISK_CONFIG] =
					"--cwd= -C: --dir= --prefix= --registry= --userconfig= "
					"--globalconfig= --proxy= --https-proxy= --cafile= config "
					"set login npm>login",
				[ARGRISK_FILES] =
					"--modules-folder= --global-folder= --cache-folder= "
					"--link-folder= --preferred-cache-folder= --store-dir= "
					"--virtual-store-dir= --modules-dir= --lockfile-dir= "
					"--global-dir= --global-bin-dir= --pack-destination= "
					"--mutex= -o: --out= --filename=",
			},
		.fine = "--global",
		.dashes = true,
	},
	{
		.programs = "cargo",
		.risk =
			{
				[ARGRISK_RUNS] = "--config= -Z: run= r= +* --git= --path= xtask",
				[ARGRISK_CONFIG] =
					"-C: --manifest-path= --registry= --index= "
					"--lockfile-path= login owner config",
				[ARGRISK_FILES] = "--target-dir= --out-dir= --artifact-dir= --root=",
			},
		.values = "pjF",
		.fine = "--target",
	},
	{
		.programs = "go",
		.risk =
			{
				[ARGRISK_RUNS] =
					"-exec= -toolexec= -vettool= -compiler= -asmflags= "
					"-gcflags= -gccgoflags= -ldflags= run= generate tool=",
				[ARGRISK_CONFIG] = "-modfile= -overlay= -C= -pkgdir= -workfile= -mod= "
						   "env>-w env>-u",
				[ARGRISK_FILES] = "-o= -coverprofile= -cpuprofile= -memprofile= "
						  "-blockprofile= -mutexprofile= -trace= -outputdir= "
						  "-test.* --test.*",
			},
	},
	{
		.programs = "gcc g++ cc c++ clang clang++ cpp ld gold lld as ar javac rustc",
		.risk =
			{
				[ARGRISK_RUNS] = "-wrapper -specs* --specs* -fplugin* -load* -B* -Xclang "
						 "-plugin* -processor* -J* -Clinker* -C= -fuse-ld* "
						 "-Xlinker -Wl,* -dynamic-linker*",
				[ARGRISK_CONFIG] = "@* --config* --sysroot* -isysroot -T=",
				[ARGRISK_FILES] = "-o* --output* -include* -imacros -MF* -d* --dump*",
			},
	},
	{
		.programs = "make gmake bmake",
		.risk =
			{
				[ARGRISK_RUNS] = "--eval= -E:",
				[ARGRISK_CONFIG] =
					"-f: --file= --makefile= -C: --directory= -I: "
					"--include-dir= -e --environment-overrides",
			},
		.values = "lWo",
		.assign = true,
	},
	{
		.programs = "ninja samu just rake task ant scons meson invoke fab",
		.risk =
			{
				[ARGRISK_RUNS] =
					"-t: --shell= --shell-arg= --chooser= -c: --command= -e: "
					"--execute= -p: -E: -r: --require= -lib -logger -listener",
				[ARGRISK_CONFIG] =
					"-f: --file= --justfile= --rakefile= --taskfile= -C: -d: "
					"--dir= --directory= --working-directory= --set= "
					"--dotenv-path= --dotenv-filename= -buildfile= -D* "
					"--native-file= --cross-file= -I: --libdir=",
			},
		.assign = true,
	},
	{
		.programs = "gradle gradlew mvn mvnw sbt lein",
		.risk =
			{
				[ARGRISK_RUNS] = "-I: --init-script= --include-build= -D* -P* --define "
						 "exec:* *:exec",
				[ARGRISK_CONFIG] =
					"-b: --build-file= -c: --settings-file= -p: --project-dir= "
					"-g: --gradle-user-home= -f: --file= -s: --settings= -gs "
					"--global-settings= -t: --toolchains= --project-cache-dir=",
			},
		.assign = true,
	},
	{
		.programs = "cmake ctest cpack",
		.risk =
			{
				[ARGRISK_RUNS] =
					"-E -P -C: -D: -S: -T: -U: --toolchain= --preset= "
					"--build-and-test --build-makeprogram= --test-command --open "
					"--debugger -G:",
				[ARGRISK_FILES] = "-B: --install-prefix= --prefix= --graphviz= "
						  "--trace-redirect= --output-log= --output-junit= "
						  "-O: --profiling-output=",
			},
		.values = "jRA",
		.fine = "--build --install --trace",
	},
	{
		.programs = "bazel bazelisk buck buck2",
		.risk =
			{
				[ARGRISK_RUNS] = "run= --run_under= --workspace_status_command= "
						 "--override_repository= --override_module= "
						 "--host_jvm_args= --shell_executable=",
				[ARGRISK_CONFIG] = "--bazelrc= --output_base= --output_user_root= "
						   "--package_path= --repo_env= --action_env=",
			},
	},
	{
		.programs = "dotnet",
		.risk =
			{
				[ARGRISK_RUNS] = "run exec= fsi tool msbuild --project= -p:* /p:* "
						 "--property= --additionalprobingpath= --depsfile= "
						 "--runtimeconfig= @* -c= *.dll *.csx",
				[ARGRISK_CONFIG] = "--source= -s: --configfile= nuget",
				[ARGRISK_FILES] = "-o: --output= --artifacts-path=",
			},
	},
	{
		.programs = "pytest py.test",
		.risk =
			{
				[ARGRISK_RUNS] = "-p: -c: --rootdir= --confcutdir= -o: "
						 "--override-ini= --pdbcls= --pyargs --debug",
				[ARGRISK_FILES] = "--basetemp= --junit-xml= --junitxml= --log-file= "
						  "--pastebin= --cov-config= --cov-report= @*",
			},
		.values = "kmnWr",
		.fine = "--cov --pdb",
	},
	{
		.programs = "apt apt-get apt-cache apt-mark aptitude apt-config",
		.risk =
			{
				[ARGRISK_RUNS] = "-o: --option= *.deb *.changes *.dsc ./* ../* /* source>-b "
						 "--build --compile",
				[ARGRISK_CONFIG] =
					"-c: --config-file= --allow-unauthenticated "
					"--allow-insecure-repositories --force-yes edit-sources "
					"--with-source=",
			},
		.values = "ta",
	},
	{
		.programs = "dpkg",
		.risk =
			{
				[ARGRISK_RUNS] =
					"-i --install --unpack -A --record-avail --configure "
					"--triggers-only --pre-invoke= --post-invoke= "
					"--status-logger= --force-*",
				[ARGRISK_CONFIG] = "--root= --admindir= --instdir= -R --recursive",
				[ARGRISK_FILES] = "-b --build -x --extract -X --vextract -e --control "
						  "--raw-extract --log=",
			},
	},
	{
		.programs = "dpkg-deb",
		.risk = {[ARGRISK_FILES] = "-b --build -x --extract -X --vextract -e --control -R "
					   "--raw-extract"},
	},
	{
		.programs = "rpm",
		.risk =
			{
				[ARGRISK_RUNS] = "-i --install -U --upgrade -F --freshen -E: --eval= "
						 "--pipe= --load= --rcfile= --macros= -D: --define=",
				[ARGRISK_CONFIG] = "--root= --dbpath= --import --nosignature",
			},
	},
	{
		.programs = "yum dnf zypper",
		.risk =
			{
				[ARGRISK_RUNS] = "*.rpm ./* ../* /* file:* shell",
				[ARGRISK_CONFIG] =
					"-c: --config= --installroot= --repofrompath= --setopt= "
					"--nogpgcheck --no-gpg-checks --plus-repo= -p: --root= -R: "
					"*://* config-manager addrepo",
			},
	},
	{
		.programs = "pacman",
		.risk =
			{
				[ARGRISK_RUNS] = "-U --upgrade --hookdir= *.pkg.tar*",
				[ARGRISK_CONFIG] = "-b: --dbpath= -r: --root= --sysroot= --config= "
						   "--gpgdir= --cachedir= --overwrite=",
			},
	},
	{
		.programs = "apk",
		.risk =
			{
				[ARGRISK_RUNS] = "*.apk",
				[ARGRISK_CONFIG] =
					"--allow-untrusted -X: --repository= -p: --root= "
					"--repositories-file= --keys-dir= --arch=",
			},
	},
	{
		.programs = "brew port",
		.risk =
			{
				[ARGRISK_RUNS] = "sh irb ruby edit extract tap bundle create "
						 "developer install-bundler-gems *.rb",
				[ARGRISK_CONFIG] = "*://* install>*/* reinstall>*/* upgrade>*/* "
						   "fetch>*/*",
			},
	},

	/* containers and clusters */
	{
		.programs = "docker podman nerdctl",
		.risk =
			{
				[ARGRISK_RUNS] =
					"--entrypoint= --runtime= plugin --post-renderer= unshare= "
					"generate play kube machine system>service",
				[ARGRISK_CONFIG] =
					">-H: --host= >-c: --context= --config= --tlscacert= "
					"--tlscert= --tlskey= --connection= --url= --identity= "
					"--remote --root= --runroot= --storage-opt= context "
					"compose>-f: --file= --project-directory=",
				[ARGRISK_FILES] =
					"cp container>cp compose>cp --env-file= --label-file= "
					"--cidfile= --iidfile= --metadata-file= --secret= --ssh= "
					"--output= save>-o: export>-o: load>-i: image>-o: "
					"image>-i: container>-o: build>-o: buildx>-o: --authfile=",
				[ARGRISK_RIGHTS] =
					"run>-v: create>-v: container>-v: compose>-v --volume= "
					"--mount= --privileged --pid= --net= --network= --device= "
					"--device-cgroup-rule= --cap-add= --security-opt= "
					"--userns= --ipc= --uts= --cgroupns= --cgroup-parent= "
					"--volumes-from= --volume-driver= --sysctl= --gpus= "
					"--group-add= --rootfs --systemd=",
			},
		.values = "l run>aehmpuwc create>aehmpuwc container>aehmpuwc",
		.flags = "--debug",
		.fine = "--load --env --label --user --tls --ip",
	},
	{
		.programs = "kubectl oc k3s microk8s",
		.risk =
			{
				[ARGRISK_RUNS] = "exec== run debug proxy port-forward edit plugin "
						 "attach kubectl --enable-exec --enable-alpha-plugins "
						 "rsh=",
				[ARGRISK_CONFIG] =
					"--kubeconfig= -s: --server= --token= --as= --as-group= "
					"--as-uid= --context= --cluster= --user= --username= "
					"--password= --client-certificate= --client-key= "
					"--certificate-authority= --tls-server-name= "
					"--insecure-skip-tls-verify --raw= config login "
					"--proxy-url=",
				[ARGRISK_FILES] = "cp --cache-dir= --profile-output= --log-file= "
						  "--log-dir= --from-file= --from-env-file= "
						  "--output-directory=",
			},
		.values = "nlocL",
		.fine = "--client --output --profile",
	},
	{
		.programs = "helm",
		.risk =
			{
				[ARGRISK_RUNS] = "--post-renderer= --post-renderer-args= plugin",
				[ARGRISK_CONFIG] =
					"--kubeconfig= --kube-context= --kube-token= "
					"--kube-apiserver= --kube-as-user= --repo= "
					"--repository-config= --registry-config= --ca-file= "
					"--cert-file= --key-file= --keyring=",
				[ARGRISK_FILES] = "--set-file= -d: --destination= --output-dir= "
						  "--repository-cache= --untardir=",
			},
		.values = "nfo",
		.fine = "--set --output",
	},
	{
		.programs = "terraform tofu terragrunt packer",
		.risk =
			{
				[ARGRISK_RUNS] = "-plugin-dir= -from-module= console= "
						 "--terragrunt-tfpath= -on-error=",
				[ARGRISK_CONFIG] =
					"-chdir= -var-file= -backend-config= -state= -backup= "
					"login logout --terragrunt-config= --terragrunt-source= "
					"--terragrunt-working-dir=",
				[ARGRISK_FILES] = "-out= -state-out= -config-dir= "
						  "-generate-config-out=",
			},
	},
	{
		.programs = "ansible-playbook ansible-pull ansible-galaxy ansible-vault",
		.risk =
			{
				[ARGRISK_RUNS] =
					"-e: --extra-vars= -i: --inventory= --inventory-file= -M: "
					"--module-path= --ssh-common-args= --ssh-extra-args= "
					"--sftp-extra-args= --scp-extra-args= -c: --connection= "
					"--playbook-dir=",
				[ARGRISK_CONFIG] =
					"--private-key= --key-file= --vault-password-file= "
					"--vault-id= -u: --user= --become-user= "
					"--become-method= -s: --server=",
			},
		.values = "lftT",
		.fine = "--become",
	},
	{
		.programs = "aws gcloud gsutil az doctl",
		.risk =
			{
				[ARGRISK_RUNS] =
					"ssm ecs>execute-command compute>ssh compute>scp "
					"--start-ssh configure config --cli-input-json= "
					"--cli-input-yaml= --ssh-flag= alias rest",
				[ARGRISK_CONFIG] =
					"--endpoint-url= --endpoint= --ca-bundle= --no-verify-ssl "
					"--profile= --configuration= --account= --subscription= "
					"--impersonate-service-account= --flags-file= "
					"--access-token-file= --credential-file-override= "
					"auth login --access-token= --api-url=",
				[ARGRISK_FILES] = "file:* fileb:* --log-http --outfile= @*",
			},
	},
	{
		.programs = "certbot restic borg logrotate nginx",
		.risk =
			{
				[ARGRISK_RUNS] =
					"--pre-hook= --post-hook= --deploy-hook= --renew-hook= "
					"--manual-auth-hook= --manual-cleanup-hook= "
					"--password-command= --rsh= -o: --option= -g:",
				[ARGRISK_CONFIG] =
					"-c: --config= --config-dir= -r: --repo= "
					"--repository-file= -p: --password-file= -s: --state= "
					"--server=",
				[ARGRISK_FILES] = "--logs-dir= --work-dir= -l: --log= --target= -t: "
						  "--cache-dir=",
			},
	},

	/* the system */
	{
		.programs = "systemctl",
		.risk =
			{
				[ARGRISK_RUNS] = "edit link set-environment import-environment "
						 "set-property enable>*/* reenable>*/* preset>*/* "
						 "start>*/* mask>*/* bind",
				[ARGRISK_CONFIG] =
					"-H: --host= -M: --machine= --root= --image= "
					"--image-policy= switch-root",
			},
		.values = "tpPnos",
		.flags = "--no-pager --plain --all --quiet --user --system --now --no-block "
			 "--failed --full --no-legend --value --recursive",
	},
	{
		.programs = "journalctl",
		.risk =
			{
				[ARGRISK_CONFIG] =
					"-M: --machine= -D: --directory= --file= -i: --root= "
					"--image= --image-policy= --namespace=",
				[ARGRISK_FILES] =
					"--vacuum-size= --vacuum-files= --vacuum-time= --rotate "
					"--flush --relinquish-var --smart-relinquish-var "
					"--setup-keys --cursor-file= --update-catalog --sync",
			},
		.values = "ubpSUgtTncFo",
		.fine = "--cursor",
	},
	{
		.programs = "loginctl hostnamectl timedatectl localectl networkctl resolvectl coredumpctl",
		.risk =
			{
				[ARGRISK_RUNS] = "debug gdb --debugger= -A: edit",
				[ARGRISK_CONFIG] = "-M: --machine= -H: --host= -D: --directory= "
						   "--file= --root= --image=",
				[ARGRISK_FILES] = "-o: --output=",
			},
	},
	{
		.programs = "ip tc bridge",
		.risk =
			{
				[ARGRISK_RUNS] = "netns>exec== vrf>exec== -batch= -force",
				[ARGRISK_RIGHTS] = "-netns= netns>attach netns>set",
			},
		.flags = "-4 -6 -M -br -brief -c -d -h -j -json -o -p -pretty -r -s -t",
		.cut = true,
	},
	{
		.programs = "iptables ip6tables iptables-restore ip6tables-restore ebtables arptables",
		.risk = {[ARGRISK_RUNS] = "-M: --modprobe="},
	},
	{
		.programs = "nft",
		.risk = {[ARGRISK_FILES] = "-f: --file= -I: --includepath= -i --interactive"},
	},
	{
		.programs = "mount umount",
		.risk =
			{
				[ARGRISK_RUNS] = "-t: --types= -O:",
				[ARGRISK_RIGHTS] =
					"-o: --options= -B --bind -R --rbind -M --move -N: "
					"--namespace= --make-shared --make-rshared -T: --fstab= "
					"--target= --source= --options-source=",
			},
		.values = "LU",
	},
	{
		.programs = "date",
		.risk = {[ARGRISK_FILES] = "-s: --set= -f: --file="},
		.values = "dIr",
	},
	{
		.programs = "hostname",
		.risk = {[ARGRISK_FILES] = "-F: --file= -b --boot"},
	},
	{
		.programs = "gpg gpg2 gpgv gpgsm",
		.risk =
			{
				[ARGRISK_RUNS] =
					"--exec-path= --photo-viewer= --show-photos "
					"--agent-program= --dirmngr-program= --pinentry-program= "
					"--keyboxd-program= --gpgconf-program= --load-extension=",
				[ARGRISK_CONFIG] =
					"--options= --homedir= --keyserver= "
					"--keyserver-options= --keyring= --secret-keyring= "
					"--primary-keyring= --trustdb-name= --auto-key-locate= "
					"--export-secret-keys --export-secret-subkeys "
					"--export-ssh-key --gen-revoke --edit-key",
				[ARGRISK_FILES] =
					"-o: --output= --log-file= --logger-file= --status-file= "
					"--attribute-file= --command-file= --command-fd= "
					"--passphrase-file= --passphrase-fd= --set-filename= "
					"--output-directory=",
			},
		.values = "urNR",
		.fine = "--export --edit",
	},
	{
		.programs = "openssl",
		.risk =
			{
				[ARGRISK_RUNS] =
					"engine -engine= -engine_impl -provider= -provider-path= "
					"-propquery= s_client s_server",
				[ARGRISK_CONFIG] = "-config= -cmd= -proxy= -extfile= -sect_config=",
				[ARGRISK_FILES] = "-out= -keyout= -writerand= -sess_out= -keylogfile= "
						  "-passin= -passout= -pass= -outdir= -certsout= "
						  "-CAcreateserial",
			},
	},

	/* documents and media */
	{
		.programs = "tex latex pdftex pdflatex xelatex lualatex luatex xetex latexmk",
		.risk =
			{
				[ARGRISK_RUNS] = "-shell-escape -enable-write18 -e= -r= -pdflatex= "
						 "-latex= -lua= \\*",
				[ARGRISK_FILES] = "-output-directory= -jobname= -outdir= -auxdir= "
						  "-aux-directory= -cnf-line=",
			},
		.cut = true,
	},
	{
		.programs = "pandoc",
		.risk =
			{
				[ARGRISK_RUNS] = "-F: --filter= -L: --lua-filter= --pdf-engine= "
						 "--pdf-engine-opt= -t: --to= -w: --write= -f: "
						 "--from= -r: --read= lua server",
				[ARGRISK_CONFIG] = "-d: --defaults= --data-dir= --syntax-definition=",
				[ARGRISK_FILES] =
					"-o: --output= --extract-media= --template= -A: -B: -H: "
					"--include-in-header= --include-before-body= "
					"--include-after-body= --metadata-file= --log= "
					"--resource-path= --reference-doc=",
			},
		.values = "VM",
	},
	{
		.programs = "convert magick mogrify identify composite montage",
		.risk =
			{
				[ARGRISK_RUNS] = "msl:* mvg:* ephemeral:* delegate:* epi:* epsi:* "
						 "ps:* pdf:* |* -script= -define= -process=",
				[ARGRISK_FILES] = "@* text:* label:@* caption:@* -write= url:* http:*",
			},
	},
	{
		.programs = "ffmpeg ffprobe ffplay",
		.risk =
			{
				[ARGRISK_CONFIG] = "concat:* subfile:* data:* -protocol_whitelist= "
						   "-f= -safe= -init_hw_device=",
				[ARGRISK_FILES] =
					"-filter_script= -filter_complex_script= -filter_complex= "
					"-lavfi= -vf= -af= -filter* -report -progress= "
					"-passlogfile= -dump_attachment* -attach= -vstats_file= "
					"-sdp_file= -pre= -vpre= -apre= -fpre= file:* pipe:*",
			},
	},
	{0},
};
