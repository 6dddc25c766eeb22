/* For mpy: a message of so many bytes goes round all ranks. Rank 0 prints its size, whether it came
   back as it was, and the time of a round [s]. */
func ring(bytes, rounds)
{
  if (mp_exec()) {
    mp_exec, swrite(format="ring, %ld, %ld", bytes, rounds);
    return;
  }
  sent = char(indgen(bytes));
  next = (mp_rank + 1) % mp_size;
  previous = (mp_rank + mp_size - 1) % mp_size;
  begun = ended = array(double, 3);
  mp_handin;
  timer, begun;
  for (i=1 ; i<=rounds ; ++i) {
    if (!mp_rank) mp_send, next, sent;
    got = mp_recv(previous);
    if (mp_rank) mp_send, next, got;
  }
  timer, ended;
  if (!mp_rank) {
    write, format="%ld bytes %s in %.9f s\n", bytes, (allof(got == sent)? "right" : "wrong"),
      (ended - begun)(3) / rounds;
  }
  mp_handin;
}
