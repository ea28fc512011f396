/* SPDX-License-Identifier: Apache-2.0 */
#include "model/risk.h"

#include "base/glob.h"
#include "base/macro.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

/* The last component. */
static const char *const files[] = {
	/* build tools */
	"Makefile",
	"makefile",
	"GNUmakefile",
	"*.mk",
	"CMakeLists.txt",
	"*.cmake",
	"configure",
	"meson.build",
	"justfile",
	"Justfile",
	"Taskfile.*",
	"Rakefile",
	"*.gradle",
	"*.gradle.kts",
	"gradlew",
	"mvnw",
	"pom.xml",
	"build.rs",
	"Cargo.toml",
	"build.xml",
	"BUILD",
	"BUILD.bazel",
	"WORKSPACE",
	"SConstruct",
	"Earthfile",
	"Tiltfile",
	"Vagrantfile",
	/* packages */
	"package.json",
	".npmrc",
	".yarnrc",
	".yarnrc.yml",
	".pnpmfile.cjs",
	"pnpm-workspace.yaml",
	"setup.py",
	"setup.cfg",
	"pyproject.toml",
	"pip.conf",
	"Gemfile",
	"*.gemspec",
	"composer.json",
	"Pipfile",
	"*.nix",
	"deno.json",
	"deno.jsonc",
	"bunfig.toml",
	/* interpreters and test runners */
	"conftest.py",
	"sitecustomize.py",
	"usercustomize.py",
	"*.pth",
	"noxfile.py",
	"tox.ini",
	"*.config.js",
	"*.config.cjs",
	"*.config.mjs",
	"*.config.ts",
	".eslintrc*",
	".babelrc*",
	".mocharc*",
	".rspec",
	".irbrc",
	".pryrc",
	".pythonrc*",
	".gdbinit",
	".lldbinit",
	/* version control, shells, editors */
	".gitattributes",
	".gitmodules",
	".lfsconfig",
	".pre-commit-config.yaml",
	"lefthook.yml",
	".lefthook.yml",
	".envrc",
	".env",
	".env.*",
	".tool-versions",
	"mise.toml",
	".mise.toml",
	".bashrc",
	".bash_profile",
	".profile",
	".zshrc",
	".zshenv",
	".inputrc",
	".vimrc",
	".nvim.lua",
	".exrc",
	".emacs",
	".dir-locals.el",
	"*.code-workspace",
	"*.desktop",
	/* containers and services that build what they find */
	"Dockerfile",
	"Dockerfile.*",
	"Containerfile",
	"compose.yml",
	"compose.yaml",
	"docker-compose*",
	".gitlab-ci.yml",
	"Jenkinsfile",
	".travis.yml",
	"azure-pipelines.yml",
	/* what agents on the host obey */
	"CLAUDE.md",
	"AGENTS.md",
	"GEMINI.md",
	".cursorrules",
	".mcp.json",
	".ward.json5",
};

/* Any component above it, or the folder itself. */
static const char *const folders[] = {".husky", ".githooks", ".vscode", ".idea", ".devcontainer",
	".github", ".circleci", ".cargo", ".cursor", ".claude", ".codex", ".zed", ".bundle",
	".yarn", ".mvn", ".direnv"};

static const char *const crowds[] = {"node_modules", "site-packages", ".venv", "vendor"};

static bool is_one(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (glob_word(list[i], name))
			return true;
	return false;
}

size_t risk_reach(const char *path)
{
	char name[NAME_MAX + 1] = "";
	size_t at = 0;
	bool inside = false;

	while (path[at]) {
		size_t len = strcspn(path + at, "/");

		if (len > NAME_MAX)
			return 0;
		memcpy(name, path + at, len);
		name[len] = '\0';
		at += len;
		if (is_one(crowds, ARRAY_LEN(crowds), name))
			return at;
		inside |= is_one(folders, ARRAY_LEN(folders), name);
		at += path[at] == '/';
	}
	return inside || is_one(files, ARRAY_LEN(files), name) ? at : 0;
}
