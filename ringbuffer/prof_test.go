package ringbuffer
import ("testing";"time";"sync";"sync/atomic")
func TestProf(t *testing.T){
 for _, procs := range []int{2,4,16} {
 withProcs(t,procs)
 for _, slots := range []int{2,4,16,64,256,1024} { for _, takers := range []int{2,4,8,16} {
  src:=newClassicRing(slots, 1<<19)
  l:=newLedger(1<<19)
  var dups atomic.Int64
  b:=time.Now()
  var wg sync.WaitGroup
  for i:=range takers { wg.Go(func(){ d:=src.taker(i); buf:=make([]uint64,4); for { n,more:=d(buf); if !more {return}; for _,v:=range buf[:n] { if !l.mark(v) {dups.Add(1)} } } }) }
  wg.Wait()
  src.stop(0,true)
  t.Logf("procs %d slots %d takers %d: %v, %d dups, %d refused", procs,slots,takers,time.Since(b),dups.Load(), src.refused.Load())
  }}}
}
