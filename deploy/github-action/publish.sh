# A step of action.yml: publishes $FOLDER, and leaves the results for the next one.
set -euo pipefail

# Pull requests of forks get no secrets.
if [[ -z $BRIEFS_TOKEN ]]; then
  echo "::notice::There is no token, so nothing is published."
  exit 0
fi

options=(--to "$OWNER" --no-remember --prefix "$PREFIX" --visibility "$VISIBILITY")
if [[ $OVERWRITE == true ]]; then options+=(--overwrite); fi

results="$RUNNER_TEMP/briefs-results.json"
status=0
npx --yes --package "$PACKAGE" briefs --json push "$FOLDER" "${options[@]}" >"$results" || status=$?
cat "$results"
echo "results=$results" >>"$GITHUB_OUTPUT"
exit "$status"
