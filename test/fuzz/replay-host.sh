# Stands in for a sandbox host that was taken over: says what the file "before" in its folder holds, waits until the
# server has put in the call of that id, says what "after" holds, and listens until it is killed.
# Usage: sh replay-host.sh <folder> <callId>
/bin/cat "$1/before" >&3
while IFS= read -r line <&3; do
  case $line in *"\"callId\":\"$2\""*) break ;; esac
done
/bin/cat "$1/after" >&3
exec /bin/cat <&3 >/dev/null
