"""Prints a short session with a language server: a model that reads a parameter it lacks."""
import json
import sys

MODEL = """func.func @f() -> tensor<4xf32> {
  %w = vernier.get_param @missing : tensor<4xf32>
  return %w : tensor<4xf32>
}
"""


def send(message):
    text = json.dumps({"jsonrpc": "2.0", **message})
    sys.stdout.write(f"Content-Length: {len(text)}\r\n\r\n{text}")


send({"id": 0, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}})
send({"method": "textDocument/didOpen",
      "params": {"textDocument": {"uri": "file:///model.mlir", "languageId": "mlir", "version": 1, "text": MODEL}}})
send({"id": 1, "method": "shutdown", "params": None})
send({"method": "exit"})
