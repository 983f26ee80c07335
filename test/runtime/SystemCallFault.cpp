//===- SystemCallFault.cpp - Faults at chosen system calls ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SystemCallFault.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>
#include <csignal>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// The calls that an error is put into. Those that a C library has old and new
/// names of are all here, where the machine has them.
constexpr long fileCalls[] = {
    SYS_openat,  SYS_write, SYS_writev,    SYS_pwrite64, SYS_fsync,     SYS_fdatasync,
    SYS_mkdirat, SYS_close, SYS_renameat2, SYS_unlinkat, SYS_ftruncate, SYS_fchmod,
#ifdef SYS_open
    SYS_open,    SYS_mkdir, SYS_rename,    SYS_unlink,   SYS_rmdir,
#endif
};

class TracedChild {
public:
  TracedChild(Fault fault, int count, pid_t child) : fault(fault), count(count), child(child) {}

  FaultResult run() {
    while (proceed()) { // to the entry of a call
      if (isVictim() && --count == 0)
        return strike();
      if (!proceed()) // to its exit
        break;
    }
    return FaultResult::NoSuchCall;
  }

private:
  /// Lets the child run to the next entry or exit; whether it got there.
  bool proceed() {
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    return WIFSTOPPED(status);
  }

  user_regs_struct getRegisters() {
    user_regs_struct registers;
    iovec vector{&registers, sizeof registers};
    ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &vector);
    return registers;
  }
  void setRegisters(user_regs_struct registers) {
    iovec vector{&registers, sizeof registers};
    ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &vector);
  }

  bool isVictim() {
    if (fault == Fault::Kill)
      return true;
#ifdef __x86_64__
    user_regs_struct registers = getRegisters();
    if (fault == Fault::ShortWrite)
      return registers.orig_rax == SYS_write && registers.rdx > 1;
    return llvm::is_contained(fileCalls, long(registers.orig_rax));
#else
    return false;
#endif
  }

  FaultResult strike() {
    if (fault == Fault::Kill) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return FaultResult::Killed;
    }
#ifdef __x86_64__
    user_regs_struct registers = getRegisters();
    if (fault == Fault::ShortWrite) {
      registers.rdx /= 2;
      setRegisters(registers);
      return finish();
    }
    registers.orig_rax = ~0ull; // no such call: nothing is done
    setRegisters(registers);
    if (!proceed())
      return FaultResult::Killed;
    registers = getRegisters();
    registers.rax = -(fault == Fault::NoSpace ? ENOSPC : EIO);
    setRegisters(registers);
#endif
    return finish();
  }

  FaultResult finish() {
    ptrace(PTRACE_DETACH, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    if (!WIFEXITED(status))
      return FaultResult::Killed;
    return WEXITSTATUS(status) == 0 ? FaultResult::Succeeded : FaultResult::Failed;
  }

  Fault fault;
  int count;
  pid_t child;
  int status = 0;
};

} // namespace

FaultResult runWithFault(Fault fault, int count, llvm::function_ref<int()> body) {
#ifndef __x86_64__
  if (fault != Fault::Kill)
    return FaultResult::NotAllowed; // it changes registers by their names
#endif
  constexpr int notTraced = 77;
  pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
      _exit(notTraced);
    raise(SIGSTOP);
    _exit(body());
  }
  int status;
  waitpid(child, &status, 0);
  if (WIFEXITED(status))
    return FaultResult::NotAllowed;
  return TracedChild(fault, count, child).run();
}
