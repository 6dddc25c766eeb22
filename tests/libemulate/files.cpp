// Whether MPI's files still do what the standard says: data, statuses, file pointers, views,
// errors. Runs with and without the emulation, at any number of ranks; exit code 1 and a line for
// what is wrong. Arguments: a file to write, and "blocking" where nonblocking collective operations
// are to be left out.

#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace {

int own = 0;
int ranks = 0;
int failures = 0;
std::string path;

void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "rank %d of %d: WRONG: %s\n", own, ranks, what);
}

using Ints = std::vector<int>;
constexpr int each = 100;  ///< ints that a rank writes
constexpr MPI_Offset each_bytes = each * sizeof(int);

Ints row(int start) {
  Ints values(each);
  std::iota(values.begin(), values.end(), start);
  return values;
}
Ints own_row() { return row(each * own); }

bool has(const MPI_Status& status, int ints) {
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  return count == ints;
}

int class_of(int code) {
  int result = MPI_SUCCESS;
  MPI_Error_class(code, &result);
  return result;
}

MPI_File open(int mode = MPI_MODE_CREATE | MPI_MODE_RDWR) {
  MPI_File file = MPI_FILE_NULL;
  check(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file) == MPI_SUCCESS,
        "MPI_File_open");
  return file;
}

void close(MPI_File& file) {
  MPI_File_close(&file);
  check(file == MPI_FILE_NULL, "a closed file is null");
}

/// What one rank alone finds in the file from the beginning.
void expect(const Ints& wanted, const char* what) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (own == 0) {
    Ints found(wanted.size(), -1);
    MPI_File file = MPI_FILE_NULL;
    MPI_Status status;
    MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_read(file, found.data(), static_cast<int>(found.size()), MPI_INT, &status);
    MPI_File_close(&file);
    check(has(status, static_cast<int>(wanted.size())) && found == wanted, what);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

Ints all_rows() {
  Ints values(static_cast<std::size_t>(each * ranks));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

void explicit_offsets() {
  MPI_File file = open();
  const Ints out = own_row();
  Ints in(each, -1);
  MPI_Status status;
  MPI_File_write_at(file, own * each_bytes, out.data(), each, MPI_INT, &status);
  check(has(status, each), "MPI_File_write_at's status");
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  const int other = (own + 1) % ranks;
  MPI_File_read_at(file, other * each_bytes, in.data(), each, MPI_INT, &status);
  check(has(status, each) && in == row(each * other), "MPI_File_read_at");
  MPI_File_read_at(file, ranks * each_bytes - 8, in.data(), each, MPI_INT, &status);
  check(has(status, 2), "a read beyond the end");
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  check(size == ranks * each_bytes, "MPI_File_get_size");
  MPI_File_read_at_all(file, own * each_bytes, in.data(), each, MPI_INT, MPI_STATUS_IGNORE);
  check(in == out, "MPI_File_read_at_all");
  MPI_File_write_at_c(file, own * each_bytes, out.data(), MPI_Count{each}, MPI_INT, &status);
  MPI_Count count = 0;
  MPI_Get_count_c(&status, MPI_INT, &count);
  check(count == each, "MPI_File_write_at_c");
  close(file);
  expect(all_rows(), "what MPI_File_write_at wrote");
}

void file_pointers() {
  MPI_File file = open();
  MPI_File_set_size(file, 0);
  const Ints out = own_row();
  Ints in(each, -1);
  MPI_Status status;
  MPI_File_seek(file, own * each_bytes, MPI_SEEK_SET);
  MPI_File_write(file, out.data(), each / 2, MPI_INT, &status);
  MPI_Offset position = 0;
  MPI_File_get_position(file, &position);
  check(position == own * each_bytes + each_bytes / 2, "MPI_File_get_position");
  MPI_File_write(file, out.data() + each / 2, each / 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_File_seek(file, own * each_bytes, MPI_SEEK_SET);
  MPI_File_read_all(file, in.data(), each, MPI_INT, &status);
  check(has(status, each) && in == out, "MPI_File_read_all");
  close(file);
  expect(all_rows(), "what MPI_File_write wrote");
}

/// Every rank has every ranks-th block of ten.
void views() {
  MPI_File file = open();
  MPI_File_set_size(file, 0);
  MPI_Datatype blocks = MPI_DATATYPE_NULL;
  MPI_Type_vector(each / 10, 10, 10 * ranks, MPI_INT, &blocks);
  MPI_Type_commit(&blocks);
  const MPI_Offset start = 10 * own * static_cast<MPI_Offset>(sizeof(int));
  char native[] = "native";
  MPI_File_set_view(file, start, MPI_INT, blocks, native, MPI_INFO_NULL);
  MPI_Datatype element = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Offset found = 0;
  char representation[MPI_MAX_DATAREP_STRING];
  MPI_File_get_view(file, &found, &element, &type, representation);
  check(found == start && element == MPI_INT && std::strcmp(representation, "native") == 0,
        "MPI_File_get_view");
  if (type != blocks) MPI_Type_free(&type);
  Ints out(each);
  for (int i = 0; i < each; ++i)
    out[static_cast<std::size_t>(i)] = (i / 10) * 10 * ranks + 10 * own + i % 10;
  MPI_Status status;
  MPI_File_write_all(file, out.data(), each, MPI_INT, &status);
  check(has(status, each), "MPI_File_write_all's status");
  Ints in(each, -1);
  MPI_File_read_at_all(file, 0, in.data(), each, MPI_INT, &status);
  check(in == out, "MPI_File_read_at_all in a view");
  MPI_Offset place = 0;
  MPI_File_get_byte_offset(file, 10, &place);
  check(place == start + 10 * ranks * static_cast<MPI_Offset>(sizeof(int)),
        "MPI_File_get_byte_offset");
  // In memory every other int.
  MPI_Datatype sparse = MPI_DATATYPE_NULL;
  MPI_Type_vector(each, 1, 2, MPI_INT, &sparse);
  MPI_Type_commit(&sparse);
  Ints wide(2 * each, -1);
  MPI_File_read_at(file, 0, wide.data(), 1, sparse, &status);
  check(wide[0] == out[0] && wide[1] == -1 && wide[2] == out[1] &&
            wide[2 * each - 2] == out[each - 1],
        "a derived datatype in memory");
  MPI_Type_free(&sparse);
  MPI_Type_free(&blocks);
  close(file);
  expect(all_rows(), "what was written in views");
}

void shared_pointer() {
  MPI_File file = open();
  MPI_File_set_size(file, 0);
  const Ints out = own_row();
  Ints in(each, -1);
  MPI_Status status;
  MPI_File_write_ordered(file, out.data(), each, MPI_INT, &status);
  check(has(status, each), "MPI_File_write_ordered's status");
  MPI_Offset position = 0;
  MPI_File_get_position_shared(file, &position);
  check(position == ranks * each_bytes, "MPI_File_get_position_shared");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered(file, in.data(), each, MPI_INT, MPI_STATUS_IGNORE);
  check(in == out, "MPI_File_read_ordered");
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  // Each rank gets one of the rows, whichever comes.
  MPI_File_read_shared(file, in.data(), each, MPI_INT, &status);
  check(has(status, each) && in[0] % each == 0 && in == row(in[0]), "MPI_File_read_shared");
  int sum = 0;
  MPI_Allreduce(in.data(), &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == each * ranks * (ranks - 1) / 2, "each row once");
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_shared(file, in.data(), each, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_ordered_begin(file, out.data(), each, MPI_INT);
  MPI_File_write_ordered_end(file, out.data(), &status);
  check(has(status, each), "MPI_File_write_ordered_end");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  check(size == 2 * ranks * each_bytes, "the size after shared writes");
  close(file);
}

void split_collectives() {
  MPI_File file = open();
  MPI_File_set_size(file, 0);
  const Ints out = own_row();
  Ints in(each, -1);
  MPI_Status status;
  MPI_File_write_at_all_begin(file, own * each_bytes, out.data(), each, MPI_INT);
  MPI_File_write_at_all_end(file, out.data(), &status);
  check(has(status, each), "MPI_File_write_at_all_end's status");
  MPI_File_seek(file, own * each_bytes, MPI_SEEK_SET);
  MPI_File_read_all_begin(file, in.data(), each, MPI_INT);
  MPI_File_read_all_end(file, in.data(), &status);
  check(has(status, each) && in == out, "MPI_File_read_all_end");
  close(file);
  expect(all_rows(), "what split operations wrote");
}

void requests() {
  MPI_File file = open();
  MPI_File_set_size(file, 0);
  const Ints out = own_row();
  Ints in(each, -1);
  MPI_Request pair[2];
  MPI_Status statuses[2];
  MPI_File_iwrite_at(file, own * each_bytes, out.data(), each / 2, MPI_INT, &pair[0]);
  MPI_File_iwrite_at(file, own * each_bytes + each_bytes / 2, out.data() + each / 2, each / 2,
                     MPI_INT, &pair[1]);
  MPI_Waitall(2, pair, statuses);
  check(has(statuses[1], each / 2) && pair[0] == MPI_REQUEST_NULL, "MPI_File_iwrite_at");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, own * each_bytes, MPI_SEEK_SET);
  MPI_Request one = MPI_REQUEST_NULL;
  MPI_File_iread(file, in.data(), each, MPI_INT, &one);
  int flag = 0;
  MPI_Status status;
  while (flag == 0) MPI_Test(&one, &flag, &status);
  check(has(status, each) && in == out, "MPI_File_iread");
  MPI_File_iread_shared(file, in.data(), each, MPI_INT, &one);
  MPI_Wait(&one, &status);
  check(has(status, each), "MPI_File_iread_shared");
  close(file);
  expect(all_rows(), "what MPI_File_iwrite_at wrote");
}

void collective_requests() {
  MPI_File file = open();
  MPI_File_set_size(file, 0);
  MPI_Datatype blocks = MPI_DATATYPE_NULL;
  MPI_Type_vector(each / 10, 10, 10 * ranks, MPI_INT, &blocks);
  MPI_Type_commit(&blocks);
  MPI_File_set_view(file, 10 * own * static_cast<MPI_Offset>(sizeof(int)), MPI_INT, blocks,
                    "native", MPI_INFO_NULL);
  Ints out(each);
  for (int i = 0; i < each; ++i)
    out[static_cast<std::size_t>(i)] = (i / 10) * 10 * ranks + 10 * own + i % 10;
  Ints in(each, -1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_File_iwrite_all(file, out.data(), each, MPI_INT, &request);
  MPI_Wait(&request, &status);
  check(has(status, each), "MPI_File_iwrite_all's status");
  MPI_File_iread_at_all(file, 0, in.data(), each, MPI_INT, &request);
  MPI_Wait(&request, &status);
  check(has(status, each) && in == out, "MPI_File_iread_at_all");
  MPI_Type_free(&blocks);
  close(file);
  expect(all_rows(), "what MPI_File_iwrite_all wrote");
}

int calls = 0;
void count_call(MPI_File*, int* code, ...) {
  if (class_of(*code) == MPI_ERR_NO_SUCH_FILE) ++calls;
}

void errors_and_properties() {
  MPI_File file = MPI_FILE_NULL;
  const std::string missing = path + ".missing";
  int code = MPI_File_open(MPI_COMM_WORLD, missing.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  check(class_of(code) == MPI_ERR_NO_SUCH_FILE, "a file that isn't there");
  MPI_Errhandler counting = MPI_ERRHANDLER_NULL;
  MPI_File_create_errhandler(count_call, &counting);
  MPI_File_set_errhandler(MPI_FILE_NULL, counting);
  code = MPI_File_open(MPI_COMM_WORLD, missing.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  check(calls == 1 && code != MPI_SUCCESS, "an error handler of the program's");
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&counting);

  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_buffer_size", "1048576");
  MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  MPI_Info_free(&info);
  int mode = 0;
  MPI_File_get_amode(file, &mode);
  check(mode == (MPI_MODE_CREATE | MPI_MODE_RDWR), "MPI_File_get_amode");
  MPI_Group group = MPI_GROUP_NULL;
  int size = 0;
  MPI_File_get_group(file, &group);
  MPI_Group_size(group, &size);
  check(size == ranks, "MPI_File_get_group");
  MPI_Group_free(&group);
  MPI_File_get_info(file, &info);
  char value[MPI_MAX_INFO_VAL + 1];
  int flag = 0;
  MPI_Info_get(info, "cb_buffer_size", MPI_MAX_INFO_VAL, value, &flag);
  check(flag != 0 && std::strcmp(value, "1048576") == 0, "a hint");
  MPI_Info_free(&info);
  MPI_File_preallocate(file, 10000);
  MPI_Offset bytes = 0;
  MPI_File_get_size(file, &bytes);
  check(bytes >= 10000, "MPI_File_preallocate");
  MPI_File_set_atomicity(file, 1);
  int atomic = 0;
  MPI_File_get_atomicity(file, &atomic);
  check(atomic == 1, "MPI_File_get_atomicity");
  MPI_Aint extent = 0;
  MPI_File_get_type_extent(file, MPI_INT, &extent);
  check(extent == sizeof(int), "MPI_File_get_type_extent");
  const Ints out = own_row();
  MPI_File_set_size(file, 0);
  MPI_File_write_at(file, own * each_bytes, out.data(), each, MPI_INT, MPI_STATUS_IGNORE);
  close(file);
  expect(all_rows(), "what was written in atomic mode");

  MPI_File_open(MPI_COMM_SELF, (path + "." + std::to_string(own)).c_str(),
                MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  code = MPI_File_read(file, &mode, 1, MPI_INT, MPI_STATUS_IGNORE);
  check(code != MPI_SUCCESS, "a read of what is open for writing only");
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (own == 0)
    check(MPI_File_delete(path.c_str(), MPI_INFO_NULL) == MPI_SUCCESS, "MPI_File_delete");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) return 2;
  path = argv[1];
  explicit_offsets();
  file_pointers();
  views();
  shared_pointer();
  split_collectives();
  requests();
  if (argc < 3) collective_requests();
  errors_and_properties();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
