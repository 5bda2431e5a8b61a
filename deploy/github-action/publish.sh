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
errors="$RUNNER_TEMP/briefs-errors.txt"
echo "results=$results" >>"$GITHUB_OUTPUT"
echo "errors=$errors" >>"$GITHUB_OUTPUT"
status=0
npx --yes --package "$PACKAGE" briefs --json push "${options[@]}" -- "$FOLDER" \
  >"$results" 2> >(tee "$errors" >&2) || status=$?
cat "$results"
exit "$status"
