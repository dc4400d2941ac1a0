# Has the flight recorder of a running Java record until this is told to end. Callscape writes this beside the recording.
jcmd=$1 pid=$2 file=$3 over=
trap 'over=1' INT TERM
said=$("$jcmd" "$pid" JFR.start name=callscape settings=profile dumponexit=true filename="\"$file\"" 2>&1)
# It ends well whatever it says.
case $said in
  *"Started recording"*) ;;
  *) echo "$said" >&2; exit 1 ;;
esac
while [ -z "$over" ] && [ -e "/proc/$pid" ]; do sleep 0.05; done
[ ! -e "/proc/$pid" ] || "$jcmd" "$pid" JFR.stop name=callscape
